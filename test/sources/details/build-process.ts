/** Builds the details of one snapshot: a task as JSON in, the digest out. */
import { buildDetails, type DetailsTask } from "../../../src/sources/details/build-details.ts"

console.log(JSON.stringify(buildDetails(JSON.parse(process.argv[2] ?? "") as DetailsTask)))
