/** Returns a copy of `value` without the named members, for example without the member that holds its own digest or signature. */
export function without<T extends object, K extends keyof T>(value: T, ...names: K[]): Omit<T, K> {
  const copy = { ...value }
  for (const name of names) delete copy[name]
  return copy
}
