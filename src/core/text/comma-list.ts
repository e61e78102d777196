/** Splits a setting or flag that lists values. Spaces around a value and empty values are left out. */
export function commaList(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
}
