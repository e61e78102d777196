import { availableParallelism } from "node:os"

/** Whether a thread of the runtime's pool can sign and verify beside this one. On one processor a handover only adds work. */
export const HAS_OTHER_PROCESSORS = availableParallelism() > 1
