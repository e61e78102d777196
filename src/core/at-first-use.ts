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

type LoadedMethod<T, K extends keyof T> = T[K] extends (...given: infer A) => infer R
  ? (...given: A) => R | Promise<Awaited<R>>
  : never

/**
 * Methods of an object that is loaded at the first call of one of them. Later calls are direct: a promise for each request would cost as
 * much as one of its checks.
 */
export function loadedAtFirstUse<T>(load: () => Promise<T>): <K extends keyof T>(name: K) => LoadedMethod<T, K> {
  const loading = atFirstUse(load)
  let loaded: T | undefined
  return <K extends keyof T>(name: K) => {
    const call = (methods: T, given: unknown[]) => (methods[name] as (...given: unknown[]) => unknown)(...given)
    const method = (...given: unknown[]) => {
      if (loaded !== undefined) return call(loaded, given)
      return loading().then((methods) => {
        loaded = methods
        return call(methods, given)
      })
    }
    return method as LoadedMethod<T, K>
  }
}
