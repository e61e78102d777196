import type { TObject, TSchema, TUnion } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors"
import { findRawBankData } from "../core/raw-bank-data.ts"
import { type JsonValue, readJson, StrictJsonError } from "../core/strict-json.ts"
import { type FieldError, ServiceError } from "../errors.ts"

/** Largest accepted body (wire rules: 64 KiB for identity and decisions). */
export const BODY_BYTES_MAX = 64 * 1024
const FIELD_ERRORS_MAX = 16
const JSON_TYPE = "application/json"

export function compile(schema: TSchema): TypeCheck<TSchema> {
  return TypeCompiler.Compile(schema)
}

/** The exact bytes of the body, or a refusal: 413 over the limit, 415 for another media type or any content coding. */
export async function bodyBytes(request: Request): Promise<Uint8Array> {
  const { headers } = request
  if (!isJson(headers.get("content-type")))
    throw new ServiceError("MEDIA_TYPE_UNSUPPORTED", "Content-Type must be application/json.")
  const coding = headers.get("content-encoding")
  if (coding !== null && coding.toLowerCase() !== "identity") {
    throw new ServiceError("MEDIA_TYPE_UNSUPPORTED", "Content-Encoding is not supported; send the body uncompressed.")
  }
  const declared = Number(headers.get("content-length") ?? "0")
  if (declared > BODY_BYTES_MAX) throw tooLarge()
  let bytes: Uint8Array
  try {
    bytes = await request.bytes()
  } catch {
    // A client that goes away while it sends is its own business, not a bug of ours.
    throw new ServiceError("REQUEST_INCOMPLETE", "The connection ended before the body did.")
  }
  if (bytes.byteLength > BODY_BYTES_MAX) throw tooLarge()
  return bytes
}

function isJson(contentType: string | null): boolean {
  if (contentType === JSON_TYPE) return true
  return contentType !== null && contentType.split(";", 1)[0]?.trim().toLowerCase() === JSON_TYPE
}

function tooLarge(): ServiceError {
  return new ServiceError("BODY_TOO_LARGE", `The body may have at most ${BODY_BYTES_MAX} bytes.`)
}

export function strictJson(bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new ServiceError("MALFORMED_JSON", `${error.fault} at character ${error.offset}.`, {
      reasonCodes: [error.fault],
    })
  }
}

/** Throws SCHEMA_INVALID with pointers and rule names, never with values. `status` 400 where the interface asks for it. */
export function requireSchema(check: TypeCheck<TSchema>, value: unknown, status?: 400): void {
  if (check.Check(value)) return
  const errors: FieldError[] = []
  for (const { path, type } of fieldErrors(check.Errors(value))) {
    const code = ValueErrorType[type].replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()
    const pointer = shown(path)
    if (!errors.some((known) => known.pointer === pointer)) errors.push({ pointer, code })
    if (errors.length === FIELD_ERRORS_MAX) break
  }
  throw new ServiceError("SCHEMA_INVALID", "See errors for each field and the rule it breaks; the schema is closed.", {
    errors,
    ...(status && { status }),
  })
}

/** The name of a member that no schema has is the caller's own text. */
function shown(path: string): string {
  const name = path.replaceAll("~1", "/").replaceAll("~0", "~")
  return findRawBankData(name) === null ? path : path.slice(0, path.lastIndexOf("/"))
}

/**
 * A union of objects reports only itself. The variant meant is the one whose constant members (`purpose`, `target`) the value
 * carries, and its errors are told instead; never the variant with the fewest, which could ask for a private member.
 */
function* fieldErrors(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const variants = error.type === ValueErrorType.Union ? (error.schema as TUnion).anyOf : []
    const chosen = variants.findIndex((variant) => isMeant(variant, error.value))
    const inner = chosen < 0 ? undefined : error.errors[chosen]
    if (inner) yield* fieldErrors(inner)
    else yield error
  }
}

function isMeant(variant: TSchema, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  const constants = Object.entries((variant as Partial<TObject>).properties ?? {}).filter(
    ([, member]) => "const" in member,
  )
  return constants.length > 0 && constants.every(([name, member]) => Reflect.get(value, name) === member["const"])
}
