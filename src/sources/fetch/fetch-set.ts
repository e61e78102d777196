/** Downloads all files of one publication, or reports that none of them changed. */
import { type DownloadContext, type Downloaded, downloadFile } from "./download-file.ts"
import type { FileSet, PlannedFile } from "./plan.ts"
import { TransferFault } from "./transfer-fault.ts"
import type { KnownFile } from "./validators.ts"

type Got = Downloaded | "NOT_MODIFIED" | "ABSENT"

/**
 * Sends unconditional requests if `known` is null. Uses the first of `sets` that exists. If only some files of a set changed, downloads the
 * unchanged ones again too, so that one publication never mixes two rounds. Throws {@link TransferFault}.
 */
export async function fetchSet(
  sets: readonly FileSet[],
  known: readonly KnownFile[] | null,
  context: DownloadContext,
): Promise<readonly Downloaded[] | "NOT_MODIFIED"> {
  let missing: TransferFault | null = null
  for (const set of sets) {
    try {
      return await fetchOne(set, known, context)
    } catch (error) {
      if (!(error instanceof TransferFault) || error.code !== "NOT_FOUND") throw error
      missing ??= error
    }
  }
  throw missing ?? new TransferFault("NOT_FOUND", "the plan names no file")
}

async function fetchOne(
  set: FileSet,
  known: readonly KnownFile[] | null,
  context: DownloadContext,
): Promise<readonly Downloaded[] | "NOT_MODIFIED"> {
  const knownOf = (file: PlannedFile) => known?.find(({ name }) => name === file.name) ?? null
  const got: (readonly [PlannedFile, Got])[] = []
  for (const file of set) got.push([file, await fetchFile(file, knownOf(file), context)])
  const isSame = ([file, one]: readonly [PlannedFile, Got]) =>
    one === "NOT_MODIFIED" || (one === "ABSENT" && knownOf(file) === null)
  if (got.some(([, one]) => one === "NOT_MODIFIED") && got.every(isSame)) return "NOT_MODIFIED"
  const files: Downloaded[] = []
  for (const [file, one] of got) {
    const whole = one === "NOT_MODIFIED" ? await fetchFile(file, null, context) : one
    if (whole === "NOT_MODIFIED")
      throw new TransferFault("PROTOCOL", `${file.name}: status 304 to an unconditional request`)
    if (whole !== "ABSENT") files.push(whole)
  }
  return files
}

async function fetchFile(file: PlannedFile, known: KnownFile | null, context: DownloadContext): Promise<Got> {
  try {
    return await downloadFile(file, known, context)
  } catch (error) {
    if (file.isOptional === true && error instanceof TransferFault && error.code === "NOT_FOUND") return "ABSENT"
    throw error
  }
}
