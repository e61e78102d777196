/** Limits of the page. The command has none for the size of a file that it only digests; a page holds each file in memory. */

/** Largest file that the page reads, in bytes. Documents have a lower limit of their own, which the verdict names. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024

/** Most files of one check. */
export const FILES_MAX = 64
