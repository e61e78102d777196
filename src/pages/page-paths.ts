/** Addresses of pages that other pages link. */

export function operationPath(id: string): string {
  return `/docs/api/${id}`
}

export function reasonPath(code: string): string {
  return `/docs/reasons/${code}`
}

export function problemPath(code: string): string {
  return `/problems/${code}`
}
