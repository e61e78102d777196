import type { TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { FIELD_ERRORS_MAX, type FieldError, ServiceError } from "../base/errors.ts"
import type { ErrorCode } from "../base/refusals.ts"
import { isRepeatable } from "../core/sensitive/place.ts"
import { type JsonValue, readJson, StrictJsonError } from "../core/strict-json.ts"
import type { JsonSchema } from "./expected-words.ts"
import { type SchemaFault, schemaFaults } from "./schema-faults.ts"
import { isSentTwice } from "./sent-twice.ts"

/** Largest accepted body (wire rules: 64 KiB for identity and decisions). */
export const BODY_BYTES_MAX = 64 * 1024
const JSON_TYPE = "application/json"

export function compile(schema: TSchema): TypeCheck<TSchema> {
  return TypeCompiler.Compile(schema)
}

/** Resolves to the exact bytes of the body. Throws 413 above `bytesMax`, and 415 for another media type or any content coding. */
export function bodyBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const { headers } = request
  const contentType = headers.get("content-type")
  if (!isJson(contentType)) throw mediaTypeError(contentType)
  const coding = headers.get("content-encoding")
  if (coding !== null && coding.toLowerCase() !== "identity") {
    throw new ServiceError("MEDIA_TYPE_UNSUPPORTED", "Content-Encoding is not supported; send the body uncompressed.")
  }
  const declared = Number(headers.get("content-length") ?? "0")
  if (declared > bytesMax) throw tooLarge(bytesMax)
  return request.bytes().then(
    (bytes) => {
      if (bytes.byteLength > bytesMax) throw tooLarge(bytesMax)
      return bytes
    },
    () => {
      // A client that disconnects while sending is not a bug of the service.
      throw new ServiceError("REQUEST_INCOMPLETE", "The connection ended before the body did.")
    },
  )
}

/** Returns how many bodies of the usual limit this one may take: by its declared length, or without one by the limit of its route. */
export function bodyWeight(headers: Headers, bytesMax: number): number {
  const declared = Number(headers.get("content-length") ?? Number.NaN)
  return Math.max(1, Math.ceil((declared >= 0 ? Math.min(declared, bytesMax) : bytesMax) / BODY_BYTES_MAX))
}

function isJson(contentType: string | null): boolean {
  if (contentType === JSON_TYPE) return true
  if (contentType === null || isSentTwice(contentType)) return false
  return contentType.split(";", 1)[0]?.trim().toLowerCase() === JSON_TYPE
}

function mediaTypeError(contentType: string | null): ServiceError {
  const isTwice = contentType !== null && isSentTwice(contentType)
  return new ServiceError(
    "MEDIA_TYPE_UNSUPPORTED",
    isTwice ? "Send Content-Type once: application/json." : "Content-Type must be application/json.",
  )
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError("BODY_TOO_LARGE", `The body may have at most ${bytesMax} bytes.`)
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
 * Throws the rejection of a body that does not match its schema: SCHEMA_INVALID; INTENT_UNSUPPORTED or COVERAGE_UNSUPPORTED if the service
 * does not cover the request; LEAP_SECOND_UNSUPPORTED if nothing else is wrong. It names places, rules and expectations, never values.
 * `status` is 400 if the interface requires it.
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

/**
 * Throws INTENT_UNSUPPORTED or COVERAGE_UNSUPPORTED if a draft names something that the service does not cover. Any other fault of the draft
 * is left to the caller. `at`: pointer of the draft.
 */
export function requireCovered(schema: JsonSchema, draft: unknown, at: string): void {
  const faults = [...schemaFaults(schema, draft)].filter(({ covered }) => covered !== undefined)
  if (faults.length === 0) return
  const { code, detail } = refusalOf(faults)
  throw new ServiceError(code, detail, {
    errors: faults.map(({ pointer, code, expected }) => ({ pointer: at + pointer, code, expected })),
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

/** The caller wrote the name of an unknown member. Secrets, bank data and long texts are not repeated. */
function shown(pointer: string): string {
  return isRepeatable(pointer) ? pointer : pointer.slice(0, pointer.lastIndexOf("/"))
}
