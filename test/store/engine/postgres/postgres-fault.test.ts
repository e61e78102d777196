import { expect, test } from "bun:test"
import { faultOf, PostgresFault } from "../../../../src/store/engine/postgres/postgres-fault.ts"
import { rejectionOf } from "../../../../src/store/engine/postgres/rejection.ts"
import { ConstraintBroken, StoreUnavailable } from "../../../../src/store/engine/store-error.ts"

const driver = (errno: string | undefined, code = "ERR_POSTGRES_SERVER_ERROR") =>
  Object.assign(new Error("text with s3cret"), { errno, code, detail: "Key (a)=(s3cret) exists", table: "t" })

test.each([
  ["40001", "CONFLICT", "BUSY"],
  ["40P01", "CONFLICT", "BUSY"],
  ["57P01", "LOST", "IO"],
  ["57P03", "LOST", "IO"],
  ["08006", "LOST", "IO"],
  ["25P03", "LOST", "IO"],
  ["25006", "LOST", "IO"],
  ["55P03", "BUSY", "BUSY"],
  ["57014", "BUSY", "BUSY"],
  ["53300", "BUSY", "BUSY"],
  ["53100", "FULL", "FULL"],
  ["58030", "IO", "IO"],
  ["28P01", "REFUSED", "IO"],
  ["BZ001", "MOVED", "MOVED"],
  ["MIGRATING", "BUSY", "BUSY"],
  ["SCHEMA_NEWER", "SCHEMA_NEWER", "SCHEMA_NEWER"],
] as const)("%s is %s, and the caller gets %s", (errno, kind, reason) => {
  const fault = faultOf(driver(errno))
  expect([fault.code, fault.kind]).toEqual([errno, kind])
  const rejection = rejectionOf(fault)
  expect(rejection).toBeInstanceOf(StoreUnavailable)
  expect(rejection).toMatchObject({ reason, cause: fault })
})

test.each([
  ["ERR_POSTGRES_CONNECTION_CLOSED", "LOST"],
  ["ERR_POSTGRES_CONNECTION_REFUSED", "LOST"],
  ["ERR_POSTGRES_IDLE_TIMEOUT", "LOST"],
  ["ERR_POSTGRES_TLS_NOT_AVAILABLE", "REFUSED"],
  ["ERR_POSTGRES_UNSUPPORTED_AUTHENTICATION_METHOD", "REFUSED"],
  ["ERR_INVALID_ARG_VALUE", "OTHER"],
] as const)("%s of the driver is %s", (code, kind) => {
  expect(faultOf(driver(undefined, code))).toMatchObject({ code, kind })
})

test.each([
  ["23502", "NOT_NULL"],
  ["23503", "REFERENCE"],
  ["23505", "UNIQUE"],
  ["23514", "CHECK"],
] as const)("%s is a broken constraint, without values", (errno, kind) => {
  const broken = rejectionOf(faultOf(driver(errno)))
  expect(broken).toBeInstanceOf(ConstraintBroken)
  expect(broken).toMatchObject({ kind, table: "t" })
  expect(Bun.inspect(broken)).not.toContain("s3cret")
})

test("a value that is not accepted and a login that is refused are not quoted; what is no error of the driver is unknown", () => {
  expect(faultOf(driver("22P02")).message).toBe("PostgreSQL 22P02: table t")
  expect(faultOf(driver("28000")).message).not.toContain("s3cret")
  expect(faultOf(undefined).code).toBe("UNKNOWN")
  const fault = new PostgresFault("42P01", "no table")
  expect([faultOf(fault), rejectionOf(fault)]).toEqual([fault, fault])
})
