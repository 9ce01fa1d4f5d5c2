print("seam")
