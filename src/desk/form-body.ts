/** Reads what a form of the desk sent: texts, and at most one file, which is hashed and dropped. */
import { hash } from "node:crypto"
import { boundedBytes } from "../base/bounded-bytes.ts"
import { DeskRefusal } from "./desk-refusal.ts"
import type { DeskForm, FormFile } from "./visit.ts"

/** A form without a file. A reason has at most 1,000 characters, and an assertion of a passkey some 6 KB. */
const FORM_BYTES_MAX = 64 * 1024
/** A file beside a note. */
export const FILE_BYTES_MAX = 16 * 1024 * 1024
/** What the desk reads at most: a file, the texts beside it and the lines between them. */
export const BODY_BYTES_MAX = FILE_BYTES_MAX + FORM_BYTES_MAX

const URLENCODED = "application/x-www-form-urlencoded"
const MULTIPART = "multipart/form-data"

/** `takesFile`: whether a form with a file may come. Throws {@link DeskRefusal}. */
export async function readForm(request: Request, takesFile: boolean): Promise<DeskForm> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase()
  if (type !== URLENCODED && !(takesFile && type === MULTIPART)) {
    throw new DeskRefusal(415, "This page takes the form that the desk shows, and no other content.")
  }
  const most = type === MULTIPART ? BODY_BYTES_MAX : FORM_BYTES_MAX
  const isStatedTooLarge = Number(request.headers.get("content-length") ?? "0") > most
  const bytes = isStatedTooLarge ? null : await bytesOf(request, most)
  if (bytes === null) throw new DeskRefusal(413, `A form has at most ${most} bytes.`)
  return type === MULTIPART ? multipart(bytes, request.headers) : urlencoded(bytes)
}

/** Null if there are more. A form in chunks states no length, and the listener takes what the largest form may have. */
function bytesOf({ body }: Request, most: number): Promise<Uint8Array | null> {
  return boundedBytes(body, most).catch(() => {
    throw new DeskRefusal(400, "The connection ended before the form did. Send it again.")
  })
}

function urlencoded(bytes: Uint8Array): DeskForm {
  const fields = new URLSearchParams(decoded(bytes))
  return formOf([...fields], null)
}

async function multipart(bytes: Uint8Array, headers: Headers): Promise<DeskForm> {
  const type = headers.get("content-type") ?? ""
  const parts = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } })
    .formData()
    .catch(() => {
      throw new DeskRefusal(400, "The form with the file cannot be read. Send it again.")
    })
  const texts: [string, string][] = []
  const files: File[] = []
  for (const [name, value] of parts as Iterable<[string, string | File]>) {
    if (typeof value === "string") texts.push([name, value])
    else if (value.size > 0 || value.name !== "") files.push(value)
  }
  const [file] = files
  if (files.length > 1) throw new DeskRefusal(400, "A note takes one file. Write another note for the next one.")
  if (file !== undefined && file.size > FILE_BYTES_MAX)
    throw new DeskRefusal(413, `A file has at most ${FILE_BYTES_MAX} bytes.`)
  return formOf(texts, file === undefined ? null : await hashed(file))
}

async function hashed(file: File): Promise<FormFile> {
  const bytes = await file.bytes()
  return { name: file.name, bytes: bytes.length, digest: `sha256:${hash("sha256", bytes, "hex")}` }
}

function formOf(fields: readonly (readonly [string, string])[], file: FormFile | null): DeskForm {
  const texts = new Map<string, string>()
  for (const [name, value] of fields) {
    if (texts.has(name)) throw new DeskRefusal(400, `The form has the field ${name} twice.`)
    texts.set(name, value.replaceAll("\r\n", "\n").replaceAll("\r", "\n"))
  }
  return { text: (name) => texts.get(name) ?? "", file }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new DeskRefusal(400, "The form is not UTF-8.")
  }
}
