/** Plain words for the errors of the file system. */
const descriptions: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EFBIG: 'the file is too large',
  EIO: 'the disk failed',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'the file or its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
};

/** The reason of an error of Node.js, as a clause for a message; the text of any other error unchanged. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return descriptions[code] ?? message;
}
