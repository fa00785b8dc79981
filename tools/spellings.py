"""Where each public name has its entry in the API reference, and how prose may write it."""
import collections

FOLDER = 'api'


def collect(offers):
    """Name -> backend row -> Offered, the names of the first backend first."""
    entries = {}
    for row, names in offers.items():
        for name, what in names.items():
            entries.setdefault(name, {})[row] = what
    return entries


def first(entry):
    return next(iter(entry.values()))


def members(entry):
    """Name -> backend row -> Offered of what a class has."""
    return collect({row: what.members for row, what in entry.items()})


def is_short(entry):
    """Whether one line of a table says all: the framework's own under another name."""
    return any(what.kind == 'alias' for what in entry.values())


def page_of(entry):
    return first(entry).file.rpartition('.')[2]


def anchor(name):
    return f'api-{name}'


def anchor_of(name, entry):
    """The anchor of a name; those of a table share that of their page."""
    return anchor(page_of(entry) if is_short(entry) else name)


def spellings(entries, source, shown, backends):
    """How prose may write a name: what it writes -> [page, anchor, chapters or None for all].

    `d2l.GRU` and `GRU.forward` are always ours. A bare name is, unless it is an operation's, a
    parameter's or a second object's; one that frameworks have as well is ours only in chapters
    that show its code. A bare method's name needs a _, as others are words of daily use.
    """
    found, bare = {}, collections.defaultdict(list)
    for name, entry in entries.items():
        page = f'{FOLDER}/{page_of(entry)}'
        target = found[f'd2l.{name}'] = [page, anchor_of(name, entry), None]
        bare[name] += [target] * (2 if is_short(entry) else 1)
        for member in members(entry):
            inner = [page, anchor(f'{name}.{member}'), None]
            found[f'd2l.{name}.{member}'] = found[f'{name}.{member}'] = inner
            bare[member] += [inner] * (1 if '_' in member else 2)
        for what in entry.values():
            for one in (what, *what.members.values()):
                for parameter in one.parameters:
                    bare[parameter] += [None, None]
    frameworks = common(source, backends)
    for name, targets in bare.items():
        if len(targets) == 1:
            chapters = chapters_of(name, entries.get(name), shown) if name in frameworks else None
            found[name] = [*targets[0][:2], chapters]
    return found


def common(source, backends):
    """Names that at least half of the frameworks have, too, as far as the library uses them."""
    counts = collections.Counter()
    for row in backends:
        stems = sorted(path.stem for path in (source.root / row.module).glob('*.py'))
        counts.update(set().union(*(source.file(f'{row.module}.{stem}').external()
                                    for stem in stems if stem != '__init__')))
    return {name for name, count in counts.items() if 2 * count >= len(backends)}


def chapters_of(name, entry, shown):
    """Names of the chapters that show the code of an object or of a method of it."""
    if entry is None:
        return []
    whole = f'{page_of(entry)}.py:{name}'
    found = [chapter for include, chapters in shown.items()
             if include == whole or include.startswith(f'{whole}.') for chapter in chapters]
    return list(dict.fromkeys(found))
