// Limits of the page, which reads each file into the memory of a phone. The command has none of them.

/** Largest file, in bytes. Documents have a lower limit of their own, which the verdict names. */
export const FILE_BYTES_MAX = 8 * 1024 * 1024

/** All files of one check together, in bytes. */
export const FILES_BYTES_MAX = 32 * 1024 * 1024

/** Most files of one check. */
export const FILES_MAX = 64
