import type { TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { findRawBankData } from "../core/raw-bank-data.ts"
import { type JsonValue, readJson, StrictJsonError } from "../core/strict-json.ts"
import { FIELD_ERRORS_MAX, type FieldError, ServiceError } from "../errors.ts"
import type { ErrorCode } from "../refusals.ts"
import type { JsonSchema } from "./expected-words.ts"
import { type SchemaFault, schemaFaults } from "./schema-faults.ts"

/** Largest accepted body (wire rules: 64 KiB for identity and decisions). */
export const BODY_BYTES_MAX = 64 * 1024
/** Longest pointer that an answer names. */
const POINTER_CHARACTERS_MAX = 512
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

/**
 * Throws the refusal of a body that its schema does not accept: SCHEMA_INVALID, or INTENT_UNSUPPORTED or COVERAGE_UNSUPPORTED where the
 * service does not cover what was asked for, or LEAP_SECOND_UNSUPPORTED where nothing else is wrong. Names places, rules and what was
 * expected, never values. `status` 400 where the interface asks for it.
 */
export function requireSchema(check: TypeCheck<TSchema>, value: unknown, status?: 400): void {
  if (check.Check(value)) return
  const faults = [...schemaFaults(check.Schema() as TSchema & JsonSchema, value)]
  const errors = faults
    .slice(0, FIELD_ERRORS_MAX)
    .map(({ pointer, code, expected }): FieldError => ({ pointer: shown(pointer), code, expected }))
  const { code, detail } = refusalOf(faults)
  throw new ServiceError(code, detail, {
    errors,
    errorsOmitted: faults.length - errors.length,
    ...(status && { status }),
  })
}

function refusalOf(faults: readonly SchemaFault[]): { code: ErrorCode; detail: string } {
  const covered = faults.flatMap((fault) => fault.covered ?? [])
  const [unsupported] = [...covered.filter(({ code }) => code === "INTENT_UNSUPPORTED"), ...covered]
  if (unsupported) return unsupported
  if (faults.every(({ code }) => code === "LEAP_SECOND_UNSUPPORTED")) {
    return { code: "LEAP_SECOND_UNSUPPORTED", detail: "Send the second before it (:59) or the one after it (:00)." }
  }
  return { code: "SCHEMA_INVALID", detail: "See errors for each field, the rule it breaks and what is expected." }
}

/** The name of a member that no schema has is the caller's own text: bank data and long texts are not repeated. */
function shown(pointer: string): string {
  const name = pointer.replaceAll("~1", "/").replaceAll("~0", "~")
  const repeats = name.length <= POINTER_CHARACTERS_MAX && findRawBankData(name) === null
  return repeats ? pointer : pointer.slice(0, pointer.lastIndexOf("/"))
}
