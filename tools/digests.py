"""The digest of files, by which a build knows what has not changed."""


def add(digest, files):
    """Make a digest depend on files, on their names and on where one ends.

    Args:
        digest: of hashlib.
        files: pairs of a name and the content.
    """
    for name, content in files:
        digest.update(f'{name} {len(content)}\n'.encode() + content)
