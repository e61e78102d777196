import type { Mirror } from "../allowed-url.ts"
import type { PlannedFile } from "../plan.ts"

export const MEGABYTE = 1024 * 1024

/**
 * Returns the file at the publisher, or under `ID/NAME` of the operator's mirror. A mirror may hold fewer records than the publisher, so
 * the minimum length does not apply to it. The guards of the import still apply.
 */
export function fileBelow(mirror: Mirror | null, id: string, file: PlannedFile): PlannedFile {
  if (mirror === null) return file
  return { ...file, url: new URL(`${id}/${encodeURIComponent(file.name)}`, mirror.base), bytesMin: 1 }
}
