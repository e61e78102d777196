/** The input cannot be read at all: wrong path, unusable manifest, too many or too large files. The database records nothing. */
export class InputError extends Error {}
