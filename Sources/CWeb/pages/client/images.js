// Pictures of categories, D-days and the account: kept on the device once they were read or sent.
import { notKanbase, unreachable, uuid } from "./connection.js";

/** @param {string} id */
const imagePath = (id) => `/images/${encodeURIComponent(id)}`;

/** @param {string} id @param {Blob | undefined} value @returns {Change} */
const keptImage = (id, value) => ({ store: "answer", key: imagePath(id), value });

/** @param {Engine} engine @param {string} id @returns {Promise<Blob>} from the device, else from the server */
export async function readImage(engine, id) {
  const known = engine.mirror.answer.get(imagePath(id));
  if (known) return known;
  const answer = await engine.connection.call("GET", imagePath(id), { raw: true });
  const bytes = await answer.blob().catch(() => { throw unreachable(); });
  // The page of a hotel would be kept for ever.
  if (!bytes.type.startsWith("image/")) throw notKanbase();
  engine.commit([keptImage(id, bytes)]);
  return bytes;
}

/** @param {Engine} engine @param {Blob} bytes @returns {Promise<string>} the id, for what shows it */
export async function addImage(engine, bytes) {
  const id = uuid();
  await engine.connection.call("PUT", imagePath(id), { body: bytes, seconds: 60 });
  engine.commit([keptImage(id, bytes)]);
  return id;
}

/** @param {Engine} engine @param {string} id */
export async function removeImage(engine, id) {
  await engine.connection.call("DELETE", imagePath(id));
  await engine.commit([keptImage(id, undefined)]);
}
