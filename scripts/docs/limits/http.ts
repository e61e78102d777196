import { type Limit, row, shared } from "./limit.ts"

/** Limits of requests and of the database that they use. */
export const HTTP_LIMITS: readonly Limit[] = [
  row("body of a request", "64 KiB", "BODY_BYTES_MAX", "src/http/read-body.ts", "413 `BODY_TOO_LARGE`"),
  row(
    "bytes received at all",
    "1 MiB",
    "RECEIVED_BYTES_MAX",
    "src/http/listen.ts",
    "413 without a body, before any of our code",
  ),
  row("nesting of JSON", "32", "DEPTH_MAX", "src/core/strict-json.ts", "400 `MALFORMED_JSON`, reason `TOO_DEEP`"),
  row(
    "payment header",
    "16 Ki characters",
    "PAYMENT_HEADER_CHARACTERS_MAX",
    "src/payments/payment-header.ts",
    "400 `PAYMENT_HEADER_MALFORMED`",
  ),
  shared("requests in flight", "2,000", "IN_FLIGHT_MAX", "src/http/listen.ts", "503 `SERVICE_BUSY`"),
  shared(
    "requests in flight without a payment or a recovery",
    "1,800",
    "UNPAID_IN_FLIGHT_MAX",
    "src/http/listen.ts",
    "503 `SERVICE_BUSY`",
  ),
  row(
    "bodies of an address on their way, also with `rate_limits = off`",
    "64",
    "BODIES_PER_CLIENT_MAX",
    "src/http/bodies-on-the-way.ts",
    "429 `RATE_LIMITED`, the connection is closed",
  ),
  row("idle or stalled connection", "10 s", "IDLE_SECONDS", "src/http/listen.ts", "cut"),
  shared(
    "addresses whose rate is remembered",
    "100,000",
    "CLIENTS_MAX",
    "src/http/rate-limit.ts",
    "the oldest is forgotten",
  ),
  row(
    "requests with a payment of an address a minute, beside its quotes",
    "600",
    "PRESENTED_PER_MINUTE",
    "src/http/rate-limit.ts",
    "429 `RATE_LIMITED`",
  ),
  row(
    "free disk below which nothing is written for nothing, as a multiple of `disk_free_min_mb`",
    "2",
    "FREE_WRITE_FLOORS",
    "src/store/free-writes/free-disk.ts",
    "503 `DISK_RESERVED`; what is bought, recovered, revoked and left is written",
  ),
  shared("queued units of work", "10,000", "QUEUE_UNITS_MAX", "src/store/sqlite-store.ts", "503 `STORE_UNAVAILABLE`"),
  row(
    "waiting for the database lock",
    "5 s",
    "BUSY_WAIT_MS_MAX",
    "src/store/sqlite-store.ts",
    "503 `STORE_UNAVAILABLE`",
  ),
]
