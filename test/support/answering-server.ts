/** Servers that speak the protocol of a database, and answer what a test says. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import mysql from 'mysql2'

/** The rows of a statement, those of several, an error that the server reports, or nothing, ever. */
export type ServerAnswer = readonly object[] | readonly (readonly object[])[] | Error | 'silence'

/** What a server answers to statements that have a text. The first one counts; other statements have no rows. */
export type ServerAnswers = readonly (readonly [
  text: string,
  answer: ServerAnswer | ((sql: string, values: readonly string[]) => ServerAnswer),
])[]

interface Server {
  /** Statements, each with its values. */
  readonly asked: string[]
  /** What clients have said of themselves, one connection after the other. */
  readonly connected: Readonly<Record<string, unknown>>[]
  /** How many connections are open. */
  readonly open: () => number
  readonly port: number
  close(): Promise<void>
}

const servers: { close(): Promise<void> }[] = []

/** Stops all servers, and ends their connections. */
export async function stopAnswering(): Promise<void> {
  for (const server of servers.splice(0)) await server.close()
}

function answerTo(answers: ServerAnswers, sql: string, values: readonly string[] = []): ServerAnswer {
  const [, answer] = answers.find(([text]) => sql.includes(text)) ?? ['', []]
  return typeof answer === 'function' ? answer(sql, values) : answer
}

/**
 * @param serve is called with each connection
 * @param isKept whether the server does not notice that a client sends no more
 */
async function listen(serve: (socket: Socket) => void, isKept: (socket: Socket) => boolean = () => false) {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('end', () => {
      if (!isKept(socket)) socket.end()
    })
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  servers.push({ close })
  return { close, open: () => sockets.size, port: (server.address() as AddressInfo).port }
}

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const textZ = (text: string): Buffer => Buffer.from(`${text}\0`)
const message = (kind: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body])
}

export interface PostgresServer extends Server {
  /** Sends a message of the log by each connection that reads it. */
  send(message: Buffer): void
}

/** A server of PostgreSQL without TLS, which lets everybody in. */
export async function answeringPostgres(answers: ServerAnswers): Promise<PostgresServer> {
  const asked: string[] = []
  const connected: Record<string, unknown>[] = []
  const readers = new Set<Socket>()
  const ready = message('Z', Buffer.from('I'))
  const typeOf = (value: unknown): number =>
    typeof value === 'boolean' ? 16 : typeof value === 'number' ? 23 : 25
  const valueOf = (value: unknown): Buffer => {
    if (value === null) return int32(-1)
    const text = Buffer.from(typeof value === 'boolean' ? (value ? 't' : 'f') : String(value))
    return Buffer.concat([int32(text.length), text])
  }
  const rowsOf = (rows: readonly object[]): Buffer[] => {
    const columns = Object.entries(rows[0] ?? {})
    const described = columns.map(([name, value]) =>
      Buffer.concat([textZ(name), int32(0), int16(0), int32(typeOf(value)), int16(-1), int32(-1), int16(0)]),
    )
    return [
      message('T', int16(columns.length), ...described),
      ...rows.map((row) => message('D', int16(columns.length), ...Object.values(row).map(valueOf))),
    ]
  }
  const { close, open, port } = await listen((socket) => {
    let received: Buffer = Buffer.alloc(0)
    let isStarted = false
    let parsed = ''
    let values: string[] = []
    const reply = (sql: string, isSimple: boolean): void => {
      asked.push(values.length > 0 ? `${sql} ${JSON.stringify(values)}` : sql)
      const answer = answerTo(answers, sql, values)
      if (answer === 'silence') return
      const parts =
        answer instanceof Error
          ? [
              message(
                'E',
                textZ('SERROR'),
                textZ(`C${String((answer as { code?: unknown }).code ?? 'XX000')}`),
                textZ(`M${answer.message}`),
                Buffer.from([0]),
              ),
            ]
          : sql.startsWith('START_REPLICATION')
            ? [message('W', Buffer.from([0]), int16(0))]
            : [...rowsOf(answer as readonly object[]), message('C', textZ('SELECT'))]
      if (sql.startsWith('START_REPLICATION') && !(answer instanceof Error)) readers.add(socket)
      else if (isSimple) parts.push(ready)
      socket.write(Buffer.concat(parts))
    }
    const bind = (body: Buffer): string[] => {
      let at = body.indexOf(0, body.indexOf(0) + 1) + 1
      at += 2 + 2 * body.readInt16BE(at)
      const count = body.readInt16BE(at)
      at += 2
      return Array.from({ length: count }, () => {
        const length = body.readInt32BE(at)
        at += 4 + Math.max(length, 0)
        return length < 0 ? 'null' : body.toString('utf8', at - length, at)
      })
    }
    const take = (kind: string, body: Buffer): void => {
      if (kind === 'Q') {
        values = []
        reply(body.toString('utf8', 0, body.length - 1), true)
      } else if (kind === 'P')
        parsed = body.toString('utf8', body.indexOf(0) + 1, body.indexOf(0, body.indexOf(0) + 1))
      else if (kind === 'B') {
        values = bind(body)
        socket.write(Buffer.concat([message('1'), message('2')]))
      } else if (kind === 'E') reply(parsed, false)
      else if (kind === 'S') socket.write(ready)
      else if (kind === 'X') socket.end()
    }
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (;;) {
        const head = isStarted ? 1 : 0
        if (received.length < head + 4) return
        const length = head + received.readInt32BE(head)
        if (received.length < length) return
        const body = received.subarray(head + 4, length)
        const kind = received.toString('latin1', 0, head)
        received = received.subarray(length)
        if (isStarted) take(kind, body)
        else {
          isStarted = true
          const words = body.toString('utf8', 4).split('\0')
          const pairs = words.flatMap((word, i) => (i % 2 === 0 && word !== '' ? [[word, words[i + 1]]] : []))
          connected.push(Object.fromEntries(pairs) as Record<string, unknown>)
          socket.write(Buffer.concat([message('R', int32(0)), message('K', int32(7), int32(1)), ready]))
        }
      }
    })
    socket.on('close', () => readers.delete(socket))
  })
  const send = (log: Buffer): void => {
    for (const socket of readers) socket.write(message('d', log))
  }
  return { asked, close, connected, open, port, send }
}

export interface MysqlServer extends Server {
  /** Sends an event of the binlog by each connection that reads it. */
  send(event: Buffer): void
  /** Ends the connections that read the binlog, after what was sent. */
  cut(): void
}

/** What `mysql2` does not declare of a connection of its server. */
interface ServedConnection {
  readonly stream: Socket
  readonly clientHelloReply: Readonly<Record<string, unknown>>
  serverHandshake(options: object): void
  on(event: string, listener: (...words: never[]) => void): void
  writeColumns(columns: readonly object[]): void
  writeTextRow(values: readonly unknown[]): void
  writeEof(warnings: number, flags: number): void
  writeOk(ok?: object): void
  writeError(error: { readonly message: string; readonly code: number }): void
  sequenceId: number
}

interface SentPacket {
  readonly buffer: Buffer
  readonly start: number
  readonly end: number
}

/** A server of MySQL without TLS, which lets everybody in. */
export async function answeringMysql(answers: ServerAnswers): Promise<MysqlServer> {
  const asked: string[] = []
  const connected: Record<string, unknown>[] = []
  const readers = new Map<Socket, number>()
  const moreResults = 8
  const columnOf = ([name, value]: [string, unknown]): object => ({
    catalog: 'def',
    schema: '',
    table: '',
    orgTable: '',
    name,
    orgName: name,
    characterSet: 45,
    columnLength: 400,
    columnType: typeof value === 'number' ? 8 : 253,
    flags: 0,
    decimals: 0,
  })
  const serve = (connection: ServedConnection): void => {
    const { stream } = connection
    const reply = (sql: string): void => {
      asked.push(sql)
      connection.sequenceId = 1
      write(answerTo(answers, sql), /^(SELECT|SHOW)/.test(sql))
      connection.sequenceId = 0
    }
    const write = (answer: ServerAnswer, isQuery: boolean): void => {
      if (answer === 'silence') return
      if (answer instanceof Error) {
        const { errno = 1_105 } = answer as { errno?: number }
        return connection.writeError({ message: answer.message, code: errno })
      }
      const results = (Array.isArray(answer[0]) ? answer : [answer]) as readonly (readonly object[])[]
      for (const [i, rows] of results.entries()) {
        const flags = i < results.length - 1 ? moreResults : 0
        if (rows.length === 0 && !(isQuery && i === 0)) connection.writeOk({ serverStatus: flags })
        else {
          connection.writeColumns(Object.entries(rows[0] ?? { none: '' }).map(columnOf))
          for (const row of rows) connection.writeTextRow(Object.values(row))
          connection.writeEof(0, flags)
        }
      }
    }
    connection.on('error', () => {})
    connection.on('query', reply)
    connection.on('stmt_prepare', reply)
    connection.on('packet', ((packet: SentPacket, isKnown: boolean, code: number) => {
      // COM_BINLOG_DUMP
      if (isKnown || code !== 0x12) return
      const answer = answerTo(answers, 'COM_BINLOG_DUMP')
      const words = packet.buffer.subarray(packet.start + 4, packet.end)
      asked.push(`COM_BINLOG_DUMP ${words.toString('utf8', 11)} ${words.readUInt32LE(1)}`)
      if (answer instanceof Error)
        connection.writeError({
          message: answer.message,
          code: (answer as { errno?: number }).errno ?? 1_105,
        })
      else readers.set(stream, 1)
    }) as (...words: never[]) => void)
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.4.0',
      connectionId: 7,
      statusFlags: 2,
      characterSet: 45,
      // All but TLS and compression.
      capabilityFlags: 0xff_ffff & ~0x0800 & ~0x0020 & ~0x0100_0000,
      authCallback: (user: Record<string, unknown>, done: (error: null) => void) => {
        connected.push(user)
        done(null)
        connection.sequenceId = 0
      },
    })
  }
  const { close, open, port } = await listen(
    (socket) => {
      socket.on('close', () => readers.delete(socket))
      serve(mysql.createConnection({ stream: socket, isServer: true }) as unknown as ServedConnection)
      // As MySQL does while it sends its log.
    },
    (socket) => readers.has(socket),
  )
  const send = (event: Buffer): void => {
    for (const [socket, number] of readers) {
      readers.set(socket, number + 1)
      const head = Buffer.alloc(4)
      head.writeUIntLE(event.length + 1, 0, 3)
      head[3] = number & 255
      socket.write(Buffer.concat([head, Buffer.from([0]), event]))
    }
  }
  const cut = (): void => {
    for (const socket of readers.keys()) socket.end()
  }
  return { asked, close, connected, cut, open, port, send }
}
