/** Licence terms that several publishers use, as a snapshot states them to its recipients. */
export const US_GOVERNMENT_WORK = "US-Government-Work: public domain (17 U.S.C. 105)"

export function openGovernmentLicence(publisher: string): string {
  return `OGL-UK-3.0: contains public sector information licensed under the Open Government Licence v3.0 (${publisher})`
}
