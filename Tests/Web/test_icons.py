"""The PNG icons are what icon.svg draws."""

import base64
import importlib.machinery
import importlib.util

from harness import ROOT

LOADER = importlib.machinery.SourceFileLoader("icons", str(ROOT / "Scripts/icons"))
SPEC = importlib.util.spec_from_loader("icons", LOADER)
icons = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(icons)


def test_the_icons_are_rendered_from_the_drawing(chromium):
    page = chromium.new_page()
    for name, side, part in icons.SIZES:
        pictures = [(icons.ICONS / f"{name}.png").read_bytes(), icons.render(chromium, side, part)]
        difference = page.evaluate(
            """async (pictures) => {
                const pixels = await Promise.all(pictures.map(async (picture) => {
                    const image = new Image();
                    image.src = `data:image/png;base64,${picture}`;
                    await image.decode();
                    const canvas = new OffscreenCanvas(image.width, image.height);
                    const context = canvas.getContext('2d');
                    context.drawImage(image, 0, 0);
                    return context.getImageData(0, 0, image.width, image.height).data;
                }));
                if (pixels[0].length !== pixels[1].length) return 255;
                return pixels[0].reduce((sum, value, index) => sum + Math.abs(value - pixels[1][index]), 0) / pixels[0].length;
            }""",
            [base64.b64encode(picture).decode() for picture in pictures],
        )
        assert difference < 1, f"{name}: run Scripts/icons"
    page.close()
