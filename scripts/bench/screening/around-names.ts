// Longer names that contain the exact name of a listed party; contained-name search must find it in all of them.

/** Ten forms; two of them have two spellings. */
export const AROUND: Readonly<Record<string, readonly ((name: string) => string)[]>> = {
  plain: [(name) => name],
  "one ordinary word before": [(name) => `Global ${name}`],
  "one rare word before": [(name) => `Zhuravel ${name}`],
  "two words before": [(name) => `Northern Meridian ${name}`],
  "two words behind": [(name) => `${name} Logistics Services`],
  "supplies for": [(name) => `Pellworth Supplies for ${name}`],
  dba: [(name) => `dba ${name}`, (name) => `Pellworth Foods dba ${name}`],
  "in brackets": [(name) => `Pellworth Foods (${name})`],
  "a place behind": [(name) => `${name}, Vladivostok`, (name) => `${name} Dubai`],
  "a reference behind": [(name) => `${name} ref 4711`, (name) => `${name} - Invoice 12`],
}

/** A person listed as `SURNAME, Given`, in the order in which people write the name. */
export const givenFirst = (listed: string): string => listed.replace(/^([^,]+), ([^,]+)$/, "$2 $1")
