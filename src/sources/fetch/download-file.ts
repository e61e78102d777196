/**
 * Downloads one file of a publication into the staging folder. The result is a durable file, "unchanged", or a fault. A file under its
 * final name is complete: it has the stated length, keeps its limits, is not a web page, and is synced to disk.
 */
import { createHash } from "node:crypto"
import { closeSync, fdatasyncSync, fsyncSync, openSync, rmSync } from "node:fs"
import { join } from "node:path"
import { atPath, writeAll } from "../../base/durable-file.ts"
import type { LongWork } from "../../base/long-work.ts"
import { freeBytes } from "../../store/free-writes/free-disk.ts"
import { NoRoom } from "../import/room.ts"
import { askFor } from "./follow-redirects.ts"
import type { Transport } from "./open-response.ts"
import { type FileKind, keptUrl, type PlannedFile } from "./plan.ts"
import { receiveBody } from "./receive-body.ts"
import { shownUrl, TransferFault } from "./transfer-fault.ts"
import type { KnownFile } from "./validators.ts"

export interface Downloaded {
  readonly name: string
  readonly path: string
  readonly bytes: number
  /** 64 lower-case hex characters. */
  readonly sha256: string
  readonly url: string
  readonly etag: string | null
  /** The `Last-Modified` header as the publisher sent it. */
  readonly lastModified: string | null
}

export interface DownloadContext {
  readonly transport: Transport
  readonly staging: string
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
  /** Returns the free bytes on the disk of a folder. Tests may replace it. */
  readonly free?: (folder: string) => number
  readonly work: LongWork
}

/**
 * Sends an unconditional request if `known` is null. Returns "NOT_MODIFIED" only if `known` was given. Throws {@link TransferFault} after
 * the last try. Throws {@link NoRoom} before the file would take the reserve that the service's database needs.
 */
export async function downloadFile(
  file: PlannedFile,
  known: KnownFile | null,
  context: DownloadContext,
): Promise<Downloaded | "NOT_MODIFIED"> {
  const { tries, pauseMs } = context.transport.limits
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await downloadOnce(file, known, context)
    } catch (error) {
      rmSync(join(context.staging, file.name), { force: true })
      if (!(error instanceof TransferFault) || !error.isTransient || attempt >= tries) throw error
      await context.wait(pauseMs * 4 ** (attempt - 1))
    }
  }
}

async function downloadOnce(
  file: PlannedFile,
  known: KnownFile | null,
  { transport, staging, now, work, free = freeBytes }: DownloadContext,
): Promise<Downloaded | "NOT_MODIFIED"> {
  const signal = AbortSignal.timeout(transport.limits.wholeMs)
  work.step({ what: `downloading ${file.name}`, unit: "bytes" })
  const wanted = { url: file.url, conditions: conditionsOf(known, file), signal }
  const answered = await askFor(wanted, transport, now())
  if (answered.status === 304) {
    answered.request.destroy()
    return "NOT_MODIFIED"
  }
  const { headers } = answered.response
  const shown = shownUrl(answered.url)
  const rules = { shown, bytesMax: file.bytesMax, limits: transport.limits, signal }
  const path = join(staging, file.name)
  const descriptor = openSync(path, "wx", 0o600)
  let head: Uint8Array = new Uint8Array(0)
  const digest = createHash("sha256")
  let written = 0
  let unsynced = 0
  const requireRoom = (toCome: number) => {
    const [needed, available] = [toCome + RESERVE_BYTES, free(staging)]
    if (available < needed)
      throw new NoRoom(`the download needs ${needed} bytes free in ${staging}, which has ${available}`)
  }
  let isKindKnown = false
  const requireKind = () => {
    isKindKnown = true
    const fault = notOfKind(head, file.kind, shown)
    if (fault) throw fault
  }
  try {
    if (/^\s*text\/html/i.test(headers["content-type"] ?? "")) requireKind()
    const bytes = await receiveBody(answered, rules, (chunk, stated) => {
      if (written === 0) requireRoom(stated ?? 0)
      if (!isKindKnown) {
        head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)])
        if (head.length >= HEAD_BYTES) requireKind()
      }
      writeAll(descriptor, path, chunk)
      digest.update(chunk)
      written += chunk.length
      unsynced += chunk.length
      if (unsynced >= SYNC_EVERY_BYTES) {
        requireRoom(stated === null ? 0 : stated - written)
        atPath(path, () => fdatasyncSync(descriptor))
        unsynced = 0
      }
      work.done(written, { total: stated })
    })
    if (!isKindKnown) requireKind()
    if (bytes < file.bytesMin) {
      throw new TransferFault("TOO_SMALL", `${shown}: ${bytes} bytes, at least ${file.bytesMin} are expected`)
    }
    atPath(path, () => fsyncSync(descriptor))
    const tags = { etag: tag(headers.etag), lastModified: tag(headers["last-modified"]) }
    return { name: file.name, path, bytes, sha256: digest.digest("hex"), url: keptUrl(file.url), ...tags }
  } finally {
    answered.request.destroy()
    closeSync(descriptor)
  }
}

function tag(text: string | undefined): string | null {
  return text !== undefined && text.length <= TAG_LENGTH_MAX ? text : null
}

function conditionsOf(known: KnownFile | null, file: PlannedFile): Record<string, string> {
  if (known === null || known.name !== file.name || known.url !== keptUrl(file.url)) return {}
  return {
    ...(known.etag === null ? {} : { "if-none-match": known.etag }),
    ...(known.last_modified === null ? {} : { "if-modified-since": known.last_modified }),
  }
}

/** Syncs in steps, because one sync of a whole register at its end would delay the commits of the running service. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024
/** Disk space kept free for the service's database. */
const RESERVE_BYTES = 256 * 1024 * 1024
const HEAD_BYTES = 512
const ZIP_START = "PK\u0003\u0004"
/** A longer ETag is not stored. */
const TAG_LENGTH_MAX = 256

/** Detects an HTML page that a portal, proxy or error handler sends with status 200 in place of a list. */
function notOfKind(head: Uint8Array, kind: FileKind, shown: string): TransferFault | null {
  const text = new TextDecoder().decode(head).trimStart()
  const isPage = text === "" || /^<(?:!doctype html|html|head|body|script|!--)/i.test(text)
  const isOfKind = {
    csv: () => !text.startsWith("<") && !text.startsWith(ZIP_START),
    json: () => /^[[{]/.test(text),
    xml: () => text.startsWith("<") && !/<html/i.test(text),
    zip: () => text.startsWith(ZIP_START),
  }[kind]
  return isPage || !isOfKind() ? new TransferFault("NOT_DATA", `${shown}: not a ${kind} file`) : null
}
