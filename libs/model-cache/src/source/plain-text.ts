/** Text that all databases compare alike, but for case. They differ in other letters and accents, and some ignore spaces at the end. */
export const comparesPlainly = /^(?:[ -~]*[!-~])?$/
