/** For a child process: nothing of the caller's configuration reaches the program, which refuses some variables. */
export const PLAIN_ENVIRONMENT = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" }
