import { type Limit, row } from "./limit.ts"

/** Limits of the on-chain job. */
export const JOB_LIMITS: readonly Limit[] = [
  row(
    "time left of a job to propose its budget",
    "6 minutes",
    "PROPOSE_SECONDS_MIN",
    "src/jobs/terms.ts",
    "`REFUSED`, `DEADLINE_TOO_CLOSE`",
  ),
  row(
    "time left to acquire the decision of a job",
    "60 seconds",
    "ACQUIRE_SECONDS_MIN",
    "src/jobs/terms.ts",
    "`DEADLINE_MISSED`",
  ),
  row(
    "time left to submit a delivery",
    "20 seconds",
    "SUBMIT_SECONDS_MIN",
    "src/jobs/terms.ts",
    "not submitted: `UNPAID_AFTER_DELIVERY`",
  ),
  row("length of a job", "24 hours", "JOB_SECONDS_MAX", "src/jobs/terms.ts", "`REFUSED`, `JOB_TERMS`"),
  row(
    "mandate and delegation beyond the end of a job",
    "10 minutes",
    "AUTHORITY_BEYOND_SECONDS",
    "src/jobs/terms.ts",
    "`REFUSED`, `AUTHORITY_TOO_SHORT`",
  ),
  row(
    "jobs of one client that wait for a requirement",
    "20",
    "WAITING_JOBS_MAX",
    "src/jobs/terms.ts",
    "`REFUSED`, `TOO_MANY_JOBS`",
  ),
  row(
    "messages of one job that are judged",
    "100",
    "ENTRIES_MAX",
    "src/store/jobs/job-entries.ts",
    "later ones are not read",
  ),
  row("an answer of the hub", "4 MiB", "ANSWER_BYTES_MAX", "src/jobs/hub/hub-client.ts", "cut off; asked again"),
  row(
    "a message of the hub",
    "64 KiB",
    "CONTENT_BYTES_MAX",
    "src/jobs/hub/read-entry.ts",
    "`REQUIREMENT_TOO_LARGE`, said once",
  ),
  row(
    "deliveries posted again for one job",
    "8",
    "SERVED_AGAIN_MAX",
    "src/store/jobs/job-entries.ts",
    "recover over HTTP",
  ),
]
