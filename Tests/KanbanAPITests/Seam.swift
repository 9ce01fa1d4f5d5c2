// seam
