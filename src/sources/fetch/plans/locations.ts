import type { Mirror } from "../allowed-url.ts"
import type { PlannedFile } from "../plan.ts"

export const MEGABYTE = 1024 * 1024

/**
 * The file at the publisher's, or under `ID/NAME` of the operator's mirror. A mirror may hold less than the publisher, so the least length
 * of a publication is not asked of it: its operator knows what is there, and the guards of the import hold all the same.
 */
export function fileBelow(mirror: Mirror | null, id: string, file: PlannedFile): PlannedFile {
  if (mirror === null) return file
  return { ...file, url: new URL(`${id}/${encodeURIComponent(file.name)}`, mirror.base), bytesMin: 1 }
}
