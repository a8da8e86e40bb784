import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Waits on its standard input. A line means that the server was stopped properly; end of file means that the
 * process which started it is gone, however it went, and the server and its folder have to go too.
 */
const SCRIPT = `
read -r line && exit
kill -s "$1" "$2" && kill -s CONT "$2" && sleep 1 && kill -s KILL "$2"
shift 2 && rm -rf "$@"
`

/**
 * Makes sure that a server does not outlive this process, not even when it is interrupted or killed, and
 * returns the function to call once the server has been stopped properly.
 *
 * An exit handler would not do: nothing runs in a process that gets SIGKILL, and Jest kills its workers so.
 */
export function reapWithThisProcess(
  pid: number,
  signal: 'KILL' | 'QUIT',
  folders: readonly string[],
): () => void {
  const reaper = spawn('sh', ['-c', SCRIPT, 'reaper', signal, String(pid), ...folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session: Ctrl-C reaches every process of the terminal's group, and this one has work to do then.
    detached: true,
  })
  const input = reaper.stdin as Socket
  input.on('error', () => {})
  input.unref()
  reaper.unref()
  return () => input.end('stopped\n')
}
