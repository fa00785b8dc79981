"""`python3 -m tools sync`: the cells of the chapters that show library code."""
import sys

from tools import chapter, sync


def main(options, paths, backends):
    """Fill the cells, or with --check only name those that differ; returns the exit status."""
    try:
        places = sync.sync(check=options.check)
    except chapter.ChapterError as error:
        print(error, file=sys.stderr)
        return 1
    word = 'differs from the library; run `python3 -m tools sync`' if options.check else 'filled'
    for place in places:
        print(f'{place}: {word}')
    print(f'{len(places)} cells {"differ" if options.check else "changed"}')
    return 1 if options.check and places else 0
