import { FACES } from "../faces.ts"
import { LAYERS } from "../layers.ts"
import { code, page, table } from "./markdown.ts"

/** The map of the source: every layer, its purpose, and its allowed imports; and the face of each folder that has private files. */
export function layersPage(): string {
  const rows = LAYERS.map(({ name, what, imports }) => [code(name), what, imports.map(code).join(", ")])
  const faces = Object.entries(FACES).map(([folder, files]) => [code(folder), files.map(code).join(", ")])
  return page(
    "Layers",
    "The table goes from the bottom up: a layer imports only layers in the rows above it, and some also import `server`. A test checks every file.",
    table(["layer", "what it is", "may import"], rows),
    "`server` assembles a running server: the service, its routes and its settings. It has no row because it may import every layer.",
    "## Faces",
    "Code outside a folder of this table imports only these files of it; the other files are private to the folder. A folder of `store`, `sources` or `products` without a row has no private files.",
    table(["folder", "face"], faces),
  )
}
