/** Returns the path of a route as documents print it: each parameter in braces. A final `*` is the parameter `rest`, which may have slashes. */
export function pathTemplate(path: string): string {
  return path.replace(/:([A-Za-z]+)/g, "{$1}").replace(/\*$/, "{rest}")
}
