/**
 * Makes a value at its first use and keeps it, so that the start does not pay for what it does not need. For modules, `make` is an async
 * function: the kept promise matters, because each `import()` takes as long as a database read.
 */
export function atFirstUse<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
