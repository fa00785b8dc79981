"""Figures of what varies over two axes, such as layers and steps."""
import numpy as np

from .cost import schedule
from .figures import use_svg_display

GRAY = '0.75'  # where there is nothing to color
VECTORS = 4096  # more squares than this become pixels, for a small file


def plot_schedule(num_steps, num_layers, directions=1, concatenate=True, figsize=(6, 2.5),
                  axes=None):
    """Draw the grid of layers and steps, each cell with the number of its serial step.

    Layers, steps and serial steps are counted from 0; cells of one number, and one color, run at
    once. Where numbers would be too small to read, a color bar takes their place.

    Args:
        num_steps, num_layers, directions, concatenate: as in `d2lrnn.core.cost.schedule`.
        figsize: width and height in inches.
        axes: axes to draw into; None for those of a new figure.

    Raises:
        ValueError: as `schedule` does.
    """
    serial = schedule(num_steps, num_layers, directions, concatenate)
    rows = list(dict.fromkeys((cell.direction, cell.layer) for cells in serial for cell in cells))
    # Each layer's two directions side by side, unless they are two stacks.
    rows.sort(key=lambda row: row[1] if concatenate else (row[0] != 'forward', row[1]))
    grid = np.zeros((len(rows), num_steps))
    for number, cells in enumerate(serial):
        for cell in cells:
            grid[rows.index((cell.direction, cell.layer)), cell.step] = number
    axes = _new_axes(figsize) if axes is None else axes
    mesh = _squares(axes, grid)
    names = [f'{layer} {direction}' if directions == 2 else layer for direction, layer in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set(xlabel='step', ylabel='layer')
    axes.set_title(f'{num_steps} × {num_layers}: {len(serial)} serial steps for {grid.size} cells',
                   fontsize='medium')
    if _write_numbers(axes, grid, mesh):
        mesh.set(edgecolor='white', linewidth=0.5)
    else:
        axes.figure.colorbar(mesh, ax=axes, label='serial step')


def plot_grid(values, xlabel, ylabel, title=None, figsize=(4.5, 2.5), axes=None, log=False):
    """Draw a matrix as a heat map with a color bar, the first row at the bottom.

    Args:
        values: the matrix, rows of numbers.
        xlabel: what a column is.
        ylabel: what a row is.
        title: over the figure.
        figsize: width and height in inches.
        axes: axes to draw into; None for those of a new figure.
        log: True for a logarithmic scale of colors, on which zeros are gray.

    Raises:
        ValueError: no matrix, numbers that are not finite, or, on a logarithmic scale, negative
            ones or zeros only.
    """
    from matplotlib.colors import LogNorm
    grid = _matrix(values, log)
    axes = _new_axes(figsize) if axes is None else axes
    norm = LogNorm(grid[grid > 0].min(), grid.max()) if log else None
    mesh = _squares(axes, np.ma.masked_equal(grid, 0) if log else grid, norm=norm)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_title(title or '', fontsize='medium')
    axes.figure.colorbar(mesh, ax=axes)


def _new_axes(figsize):
    from matplotlib import pyplot
    use_svg_display()
    return pyplot.figure(figsize=figsize, layout='constrained').add_subplot()


def _squares(axes, grid, norm=None):
    """Color a grid whose rows and columns are counted from 0, and return what Matplotlib drew."""
    from matplotlib.ticker import MaxNLocator
    axes.cla()
    axes.set_facecolor(GRAY)
    height, width = grid.shape
    mesh = axes.pcolormesh(np.arange(width + 1) - 0.5, np.arange(height + 1) - 0.5, grid,
                           norm=norm, rasterized=grid.size > VECTORS)
    for axis in axes.xaxis, axes.yaxis:
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    return mesh


def _write_numbers(axes, grid, mesh):
    """Write each number into its square, and return whether they are large enough to read."""
    box, points = axes.get_window_extent(), 72 / axes.figure.dpi
    height, width = grid.shape
    digits = len(str(int(grid.max())))
    fontsize = min(9, 0.7 * box.height * points / height, 1.2 * box.width * points / width / digits)
    if fontsize < 5:
        return False
    for (row, column), number in np.ndenumerate(grid):
        red, green, blue, _ = mesh.cmap(mesh.norm(number))
        dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.45
        axes.text(column, row, int(number), ha='center', va='center', fontsize=fontsize,
                  color='white' if dark else 'black')
    return True


def _matrix(values, log):
    """Return the values as an array, or raise ValueError where they cannot be drawn."""
    if hasattr(values, 'keys'):
        raise ValueError('values must be a matrix, got a dictionary of '
                         f'{", ".join(map(repr, values))}; pass one of its values')
    try:
        # NumPy cannot take every framework's arrays, but all give their numbers one by one
        rows = [[float(value) for value in row] for row in values]
    except TypeError as error:
        raise ValueError('values must be a matrix, rows of numbers, got '
                         f'{type(values).__name__}: {error}') from error
    lengths = sorted({len(row) for row in rows})
    if len(lengths) != 1 or lengths[0] == 0:
        raise ValueError(f'values must be a matrix, got {len(rows)} rows of the lengths {lengths}')
    grid = np.array(rows)
    if not np.isfinite(grid).all():
        raise ValueError(f'values must be finite, got {(~np.isfinite(grid)).sum()} of {grid.size} '
                         'that are not')
    if log and (grid.min() < 0 or grid.max() == 0):
        raise ValueError('values on a logarithmic scale must be at least 0 and some above it, got '
                         f'{grid.min():.3g} to {grid.max():.3g}; pass log=False')
    return grid
