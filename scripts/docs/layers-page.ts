import { LAYERS } from "../layers.ts"
import { code, page, table } from "./markdown.ts"

/** The map of the source: every layer, its purpose, and its allowed imports. */
export function layersPage(): string {
  const rows = LAYERS.map(({ name, what, imports }) => [code(name), what, imports.map(code).join(", ")])
  return page(
    "Layers",
    "From the ground up: a layer imports only layers that stand before it here. A test holds every file to this table.",
    table(["layer", "what it is", "may import"], rows),
    "`server` assembles a server: the service, its routes and its settings. It imports everything.",
  )
}
