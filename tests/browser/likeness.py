"""How far two pictures of a section are apart for an eye, and what is kept of one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.ndimage import uniform_filter

__all__ = ["REDUCED", "SQUARE", "apart", "kept"]

#: Pictures are kept at this part of their size: what a letter's edge looks like is averaged away.
REDUCED = 2
#: Levels of red, green and blue apart: an eye does not tell them, and a file is half as large.
STEP = 8
#: Pixels of the square over which colours are averaged, 16 of the screen: a short word, half a bar.
SQUARE = 8

Numbers = npt.NDArray[np.float32]

#: From linear sRGB to XYZ, relative to the white of D65 (IEC 61966-2-1).
TO_XYZ = np.array(
    [
        [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883],
    ],
    dtype=np.float32,
)


def kept(picture: Image.Image) -> Image.Image:
    levels = np.asarray(picture.convert("RGB").reduce(REDUCED), dtype=np.uint16)
    rounded = np.minimum((levels + STEP // 2) // STEP * STEP, 255)
    return Image.fromarray(rounded.astype(np.uint8))


def apart(one: Image.Image, two: Image.Image) -> Numbers:
    """The difference in CIE L*a*b* (CIE76) of each square's mean colours, at each half of a square.
    About 2 is what an eye just sees, 100 is black on white. Compared as far as both reach."""
    size = (min(one.width, two.width), min(one.height, two.height))
    first, second = (_means(each.convert("RGB").crop((0, 0, *size))) for each in (one, two))
    return np.sqrt(((_lab(first) - _lab(second)) ** 2).sum(axis=2))


def _means(picture: Image.Image) -> Numbers:
    colours = np.asarray(picture, dtype=np.float32)
    mean = uniform_filter(colours, size=(SQUARE, SQUARE, 1), mode="nearest")
    half = SQUARE // 2
    inside = mean[half : 1 - half, half : 1 - half]  # squares that are whole
    return inside[::half, ::half] / 255


def _lab(colours: Numbers) -> Numbers:
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    xyz = linear @ TO_XYZ.T
    root = np.where(xyz > 216 / 24389, np.cbrt(xyz), xyz * (24389 / 27 / 116) + 16 / 116)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=2)
