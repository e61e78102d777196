/** The input cannot be read at all: wrong path, unusable manifest, too many or too large files. Nothing is recorded. */
export class InputError extends Error {}
