import { IN_FLIGHT_MAX } from "../http/listen.ts"
import { type ProcessCounts, STATUS_CLASSES } from "../http/process-counts.ts"
import { type Sample, sample } from "./exposition.ts"

/** Of each operation only the classes of status that occurred, so that the page stays short. */
export function requestSamples(counts: ProcessCounts, inFlight: number): readonly Sample[] {
  const samples = [...counts.operations].flatMap(([operation, { classes, rateLimited }]) => [
    ...classes.flatMap((histogram, at) => {
      const status_class = STATUS_CLASSES[at] ?? ""
      return histogram.counts.every((count) => count === 0)
        ? []
        : [sample("bizauth_http_request_duration_seconds", { operation, status_class }, { histogram, perSecond: 1000 })]
    }),
    ...(rateLimited === 0 ? [] : [sample("bizauth_rate_limited_requests_total", { operation }, rateLimited)]),
  ])
  return [
    ...samples,
    sample("bizauth_http_requests_in_flight", {}, inFlight),
    sample("bizauth_http_requests_in_flight_max", {}, IN_FLIGHT_MAX),
  ]
}
