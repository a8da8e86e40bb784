/** What to add to the rule of a user to whom the server refuses a command; undefined where it has another reason. */
export function aclAdviceOf(reason: string): string | undefined {
  // Scripts run commands with the rights of their user.
  if (!/^NOPERM|ACL failure in script/.test(reason)) return undefined
  const command = /run the '([^']+)' command/.exec(reason)?.[1]
  const right = command ? `+${command}` : /channel/i.test(reason) ? '&<namespace>:*' : '~<namespace>:*'
  return (
    `Add ${right} to the rule of its user (ACL SETUSER); docs/operations.md has the whole rule, and npx model-cache doctor tries all ` +
    'of it'
  )
}

/** The reason of a server, with the advice if it says that a right is missing. */
export function withAclAdvice(reason: string): string {
  const advice = aclAdviceOf(reason)
  return advice === undefined ? reason : `${reason}. ${advice}`
}
