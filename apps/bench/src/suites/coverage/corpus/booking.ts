import type { CallSite } from '../ask.ts'

const now = new Date('2026-06-01T00:00:00Z')
const later = new Date('2026-06-08T00:00:00Z')
const host = { id: true, name: true, username: true, timeZone: true } as const

/** What a booking system asks: public pages, availability, the flow of a booking, settings, jobs and webhooks. */
export const booking: readonly CallSite[] = [
  // Public pages
  [
    'user.findUnique',
    (a) => ({ where: { username: a('user.username') }, select: { ...host, hidden: true } }),
  ],
  [
    'user.findFirst',
    (a) => ({
      where: { username: a('user.username'), hidden: false },
      include: { eventTypes: { where: { hidden: false }, orderBy: { position: 'asc' } } },
    }),
  ],
  ['user.findMany', (a) => ({ where: { username: { in: [a('user.username')] } }, select: host })],
  ['eventType.findFirst', (a) => ({ where: { slug: a('eventType.slug'), userId: a('eventType.userId') } })],
  [
    'eventType.findFirst',
    (a) => ({
      where: { slug: a('eventType.slug'), user: { username: a('user.username') } },
      include: { questions: { orderBy: { position: 'asc' } } },
    }),
  ],
  [
    'eventType.findUnique',
    (a) => ({
      where: { userId_slug: { userId: a('eventType.userId'), slug: a('eventType.slug') } },
      include: { user: { select: host } },
    }),
  ],
  ['eventType.findUnique', (a) => ({ where: { id: a('eventType.id') } })],
  [
    'eventType.findUnique',
    (a) => ({
      where: { id: a('eventType.id') },
      include: {
        hosts: { include: { user: { select: host } } },
        schedule: { include: { availability: true } },
        questions: true,
      },
    }),
  ],
  [
    'eventType.findUniqueOrThrow',
    (a) => ({
      where: { id: a('eventType.id') },
      select: { id: true, title: true, length: true, price: true },
    }),
  ],
  ['eventType.findFirst', (a) => ({ where: { id: a('eventType.id'), hidden: false } })],
  [
    'eventType.findMany',
    (a) => ({
      where: { userId: a('eventType.userId'), hidden: false },
      orderBy: [{ position: 'desc' }, { id: 'asc' }],
    }),
  ],
  [
    'eventType.findMany',
    (a) => ({
      where: { teamId: a('eventType.teamId') },
      orderBy: { position: 'desc' },
      include: { hosts: true },
    }),
  ],
  ['eventType.findMany', (a) => ({ where: { team: { slug: a('team.slug') }, hidden: false } })],
  ['eventType.count', (a) => ({ where: { userId: a('eventType.userId') } })],
  [
    'team.findFirst',
    (a) => ({
      where: { slug: a('team.slug'), parentId: null },
      include: { members: { include: { user: true } }, eventTypes: true },
    }),
  ],
  ['team.findUnique', (a) => ({ where: { slug: a('team.slug') } })],
  [
    'team.findUnique',
    (a) => ({
      where: { id: a('team.id') },
      select: { id: true, name: true, parent: { select: { slug: true } } },
    }),
  ],
  ['team.findFirst', (a) => ({ where: { slug: a('team.slug'), parent: { slug: a('team.slug') } } })],
  [
    'question.findMany',
    (a) => ({ where: { eventTypeId: a('question.eventTypeId') }, orderBy: { position: 'asc' } }),
  ],
  // Availability
  ['schedule.findUnique', (a) => ({ where: { id: a('schedule.id') }, include: { availability: true } })],
  ['schedule.findFirst', (a) => ({ where: { id: a('schedule.id'), userId: a('schedule.userId') } })],
  ['schedule.findMany', (a) => ({ where: { userId: a('schedule.userId') }, orderBy: { id: 'asc' } })],
  [
    'schedule.findMany',
    (a) => ({ where: { userId: a('schedule.userId') }, include: { availability: true } }),
  ],
  ['schedule.findFirst', (a) => ({ where: { userId: a('schedule.userId') } })],
  ['schedule.count', (a) => ({ where: { userId: a('schedule.userId') } })],
  ['availability.findMany', (a) => ({ where: { scheduleId: a('availability.scheduleId') } })],
  ['availability.findMany', (a) => ({ where: { scheduleId: { in: [a('availability.scheduleId')] } } })],
  ['outOfOffice.findMany', (a) => ({ where: { userId: a('outOfOffice.userId'), end: { gte: now } } })],
  [
    'outOfOffice.findFirst',
    (a) => ({ where: { userId: a('outOfOffice.userId'), start: { lte: now }, end: { gte: now } } }),
  ],
  ['outOfOffice.findUnique', (a) => ({ where: { uuid: a('outOfOffice.uuid') } })],
  [
    'booking.findMany',
    (a) => ({
      where: {
        userId: a('booking.userId'),
        status: 'ACCEPTED',
        startTime: { gte: now },
        endTime: { lte: later },
      },
      select: { id: true, startTime: true, endTime: true },
    }),
  ],
  [
    'booking.findMany',
    (a) => ({
      where: {
        eventTypeId: a('booking.eventTypeId'),
        status: { in: ['ACCEPTED', 'PENDING'] },
        startTime: { lt: later },
        endTime: { gt: now },
      },
    }),
  ],
  [
    'booking.findMany',
    (a) => ({
      where: {
        OR: [{ userId: a('booking.userId') }, { attendees: { some: { email: a('attendee.email') } } }],
        startTime: { gte: now },
      },
      orderBy: { startTime: 'asc' },
    }),
  ],
  [
    'booking.count',
    (a) => ({ where: { eventTypeId: a('booking.eventTypeId'), startTime: { gte: now, lt: later } } }),
  ],
  ['selectedCalendar.findMany', (a) => ({ where: { userId: a('selectedCalendar.userId') } })],
  [
    'selectedCalendar.findFirst',
    (a) => ({
      where: { userId: a('selectedCalendar.userId'), externalId: a('selectedCalendar.externalId') },
    }),
  ],
  ['credential.findMany', (a) => ({ where: { userId: a('credential.userId') } })],
  [
    'credential.findMany',
    (a) => ({ where: { userId: a('credential.userId'), invalid: false }, orderBy: { id: 'desc' } }),
  ],
  ['credential.findFirst', (a) => ({ where: { userId: a('credential.userId'), type: 'type 1' } })],
  ['credential.findUnique', (a) => ({ where: { id: a('credential.id') } })],
  ['credential.findFirst', (a) => ({ where: { id: a('credential.id'), userId: a('credential.userId') } })],
  ['credential.findFirst', (a) => ({ where: { appId: a('credential.appId') } })],
  ['host.findMany', (a) => ({ where: { eventTypeId: a('host.eventTypeId') }, include: { user: true } })],
  [
    'host.findUnique',
    (a) => ({
      where: { userId_eventTypeId: { userId: a('host.userId'), eventTypeId: a('host.eventTypeId') } },
    }),
  ],
  // The flow of a booking
  ['booking.findUnique', (a) => ({ where: { uid: a('booking.uid') } })],
  [
    'booking.findUnique',
    (a) => ({
      where: { uid: a('booking.uid') },
      include: { attendees: true, eventType: { include: { user: true } }, payments: true, references: true },
    }),
  ],
  [
    'booking.findFirst',
    (a) => ({
      where: { uid: a('booking.uid') },
      select: {
        id: true,
        status: true,
        user: { select: host },
        attendees: { select: { email: true, name: true } },
      },
    }),
  ],
  ['booking.findFirst', (a) => ({ where: { uid: a('booking.uid'), userId: a('booking.userId') } })],
  ['booking.findFirst', (a) => ({ where: { id: a('booking.id'), user: { id: a('user.id') } } })],
  [
    'booking.findUnique',
    (a) => ({
      where: { id: a('booking.id') },
      include: { user: true, eventType: true, attendees: { orderBy: { id: 'asc' } } },
    }),
  ],
  ['booking.findUnique', (a) => ({ where: { idempotencyKey: a('booking.idempotencyKey') } })],
  ['booking.findFirst', (a) => ({ where: { fromReschedule: a('booking.uid') }, select: { uid: true } })],
  [
    'booking.findMany',
    (a) => ({ where: { recurringId: a('booking.recurringId') }, orderBy: { startTime: 'asc' } }),
  ],
  [
    'booking.findFirst',
    (a) => ({
      where: { eventTypeId: a('booking.eventTypeId'), startTime: a('booking.startTime'), status: 'ACCEPTED' },
      include: { attendees: true },
    }),
  ],
  ['booking.findFirst', (a) => ({ where: { userId: a('booking.userId') }, orderBy: { createdAt: 'desc' } })],
  ['booking.count', (a) => ({ where: { uid: a('booking.uid') } })],
  ['attendee.findMany', (a) => ({ where: { bookingId: a('attendee.bookingId') } })],
  [
    'attendee.findFirst',
    (a) => ({ where: { bookingId: a('attendee.bookingId'), email: a('attendee.email') } }),
  ],
  ['attendee.findFirst', (a) => ({ where: { id: a('attendee.id') }, include: { booking: true } })],
  [
    'attendee.findMany',
    (a) => ({
      where: { email: a('attendee.email') },
      include: { booking: { include: { eventType: true } } },
    }),
  ],
  [
    'attendee.count',
    (a) => ({ where: { booking: { eventTypeId: a('booking.eventTypeId') }, noShow: true } }),
  ],
  ['reference.findMany', (a) => ({ where: { bookingId: a('reference.bookingId'), deleted: false } })],
  [
    'reference.findFirst',
    (a) => ({ where: { uid: a('reference.uid'), type: a('reference.type') }, include: { booking: true } }),
  ],
  [
    'payment.findUnique',
    (a) => ({
      where: { externalId: a('payment.externalId') },
      include: { booking: { include: { attendees: true, user: true } } },
    }),
  ],
  [
    'payment.findFirst',
    (a) => ({ where: { externalId: a('payment.externalId') }, select: { id: true, bookingId: true } }),
  ],
  ['payment.findUnique', (a) => ({ where: { uid: a('payment.uid') } })],
  ['payment.findMany', (a) => ({ where: { bookingId: a('payment.bookingId'), success: true } })],
  ['payment.aggregate', (a) => ({ where: { bookingId: a('payment.bookingId') }, _sum: { amount: true } })],
  // The list of bookings of a user
  [
    'booking.findMany',
    (a) => ({
      where: { userId: a('booking.userId') },
      orderBy: { startTime: 'desc' },
      take: 10,
      skip: 0,
      include: { attendees: true, eventType: { select: { title: true } } },
    }),
  ],
  [
    'booking.findMany',
    (a) => ({
      where: { userId: a('booking.userId'), status: 'CANCELLED' },
      orderBy: { startTime: 'desc' },
      take: 10,
    }),
  ],
  [
    'booking.findMany',
    (a) => ({
      where: {
        userId: a('booking.userId'),
        endTime: { gte: now },
        status: { notIn: ['CANCELLED', 'REJECTED'] },
      },
      orderBy: { startTime: 'asc' },
      take: 20,
    }),
  ],
  ['booking.count', (a) => ({ where: { userId: a('booking.userId'), status: 'PENDING' } })],
  [
    'booking.findMany',
    (a) => ({
      where: { eventType: { teamId: a('eventType.teamId') }, startTime: { gte: now } },
      include: { user: true },
    }),
  ],
  ['booking.groupBy', () => ({ by: ['status'], where: { createdAt: { gte: now } }, _count: { id: true } })],
  // Settings and teams
  ['user.findUnique', (a) => ({ where: { id: a('user.id') } })],
  ['user.findUnique', (a) => ({ where: { email: a('user.email') } })],
  ['user.findUnique', (a) => ({ where: { email: a('user.email') }, select: { id: true, locale: true } })],
  [
    'user.findUnique',
    (a) => ({
      where: { id: a('user.id') },
      include: { credentials: true, calendars: true, schedules: true },
    }),
  ],
  ['user.findUniqueOrThrow', (a) => ({ where: { uuid: a('user.uuid') } })],
  [
    'user.findFirst',
    (a) => ({ where: { OR: [{ username: a('user.username') }, { email: a('user.email') }] } }),
  ],
  ['user.findFirst', (a) => ({ where: { username: a('user.username'), NOT: { id: a('user.id') } } })],
  ['user.findMany', (a) => ({ where: { id: { in: [a('user.id')] } }, select: host })],
  [
    'user.findMany',
    (a) => ({ where: { teams: { some: { teamId: a('teamMembership.teamId'), accepted: true } } } }),
  ],
  [
    'teamMembership.findUnique',
    (a) => ({
      where: { userId_teamId: { userId: a('teamMembership.userId'), teamId: a('teamMembership.teamId') } },
    }),
  ],
  [
    'teamMembership.findFirst',
    (a) => ({
      where: {
        userId: a('teamMembership.userId'),
        teamId: a('teamMembership.teamId'),
        accepted: true,
        role: { in: ['role 1', 'role 2'] },
      },
    }),
  ],
  [
    'teamMembership.findMany',
    (a) => ({ where: { userId: a('teamMembership.userId'), accepted: true }, include: { team: true } }),
  ],
  [
    'teamMembership.findMany',
    (a) => ({ where: { teamId: a('teamMembership.teamId') }, include: { user: { select: host } } }),
  ],
  ['teamMembership.count', (a) => ({ where: { teamId: a('teamMembership.teamId'), accepted: true } })],
  [
    'team.findMany',
    (a) => ({ where: { members: { some: { userId: a('teamMembership.userId'), accepted: true } } } }),
  ],
  ['team.findMany', (a) => ({ where: { parentId: a('team.parentId') } })],
  // Jobs, workflows and webhooks
  ['webhook.findMany', (a) => ({ where: { userId: a('webhook.userId'), active: true } })],
  [
    'webhook.findMany',
    (a) => ({
      where: {
        OR: [{ userId: a('webhook.userId') }, { eventTypeId: a('webhook.eventTypeId') }],
        active: true,
        triggers: { has: 'triggers 1' },
      },
    }),
  ],
  ['webhook.findFirst', (a) => ({ where: { id: a('webhook.id'), userId: a('webhook.userId') } })],
  [
    'workflow.findMany',
    (a) => ({ where: { teamId: a('workflow.teamId') }, include: { steps: { orderBy: { number: 'asc' } } } }),
  ],
  [
    'workflow.findMany',
    (a) => ({ where: { eventTypes: { some: { id: a('eventType.id') } } }, include: { steps: true } }),
  ],
  [
    'workflow.findUnique',
    (a) => ({
      where: { id: a('workflow.id') },
      include: { steps: true, eventTypes: { select: { id: true, title: true } } },
    }),
  ],
  [
    'reminder.findMany',
    () => ({
      where: { sent: false, scheduledAt: { lte: later } },
      include: { booking: { include: { attendees: true } }, step: true },
      take: 100,
    }),
  ],
  ['reminder.findMany', (a) => ({ where: { bookingId: a('reminder.bookingId'), sent: false } })],
  ['deployment.findUnique', () => ({ where: { id: 1 } })],
  ['booking.findMany', () => ({ where: { status: 'PENDING', createdAt: { lt: now } }, take: 50 })],
]
