import type { CallSite } from '../ask.ts'

const now = new Date('2026-06-01T00:00:00Z')
const person = { id: true, name: true, image: true } as const

/** What a workspace tool asks: each request knows its user and its organization, and checks both. */
export const workspace: readonly CallSite[] = [
  // Authentication, as adapters and guards ask
  ['user.findUnique', (a) => ({ where: { id: a('user.id') } })],
  ['user.findUnique', (a) => ({ where: { email: a('user.email') } })],
  ['user.findUnique', (a) => ({ where: { email: a('user.email') }, include: { accounts: true } })],
  ['user.findFirst', (a) => ({ where: { email: a('user.email'), deletedAt: null } })],
  ['user.findUnique', (a) => ({ where: { id: a('user.id') }, select: { passwordHash: true } })],
  [
    'account.findUnique',
    (a) => ({
      where: {
        provider_providerAccountId: {
          provider: a('account.provider'),
          providerAccountId: a('account.providerAccountId'),
        },
      },
      include: { user: true },
    }),
  ],
  ['account.findFirst', (a) => ({ where: { userId: a('account.userId'), provider: 'provider 1' } })],
  [
    'session.findUnique',
    (a) => ({ where: { sessionToken: a('session.sessionToken') }, include: { user: true } }),
  ],
  [
    'verificationToken.findUnique',
    (a) => ({
      where: {
        identifier_token: {
          identifier: a('verificationToken.identifier'),
          token: a('verificationToken.token'),
        },
      },
    }),
  ],
  [
    'verificationToken.findFirst',
    (a) => ({ where: { identifier: a('verificationToken.identifier'), expires: { gt: now } } }),
  ],
  [
    'apiKey.findUnique',
    (a) => ({ where: { hashedKey: a('apiKey.hashedKey') }, include: { user: true, organization: true } }),
  ],
  [
    'apiKey.findMany',
    (a) => ({
      where: { organizationId: a('apiKey.organizationId'), userId: a('apiKey.userId') },
      orderBy: { lastUsedAt: 'desc' },
    }),
  ],
  ['preference.findUnique', (a) => ({ where: { userId: a('preference.userId') } })],
  ['featureFlag.findFirst', (a) => ({ where: { slug: a('featureFlag.slug'), enabled: true } })],
  ['featureFlag.findMany', () => ({ where: { enabled: true } })],
  // Organization and members
  ['organization.findUnique', (a) => ({ where: { slug: a('organization.slug') } })],
  ['organization.findUnique', (a) => ({ where: { id: a('organization.id') } })],
  ['organization.findUnique', (a) => ({ where: { id: a('organization.id') }, select: { plan: true } })],
  [
    'organization.findUnique',
    (a) => ({ where: { slug: a('organization.slug') }, include: { subscription: true } }),
  ],
  [
    'organization.findFirst',
    (a) => ({
      where: { slug: a('organization.slug'), memberships: { some: { userId: a('membership.userId') } } },
    }),
  ],
  ['organization.findFirst', (a) => ({ where: { id: a('organization.id'), deletedAt: null } })],
  [
    'organization.findMany',
    (a) => ({
      where: { memberships: { some: { userId: a('membership.userId') } } },
      orderBy: { createdAt: 'asc' },
    }),
  ],
  [
    'organization.findUnique',
    (a) => ({
      where: { id: a('organization.id') },
      include: { memberships: { include: { user: { select: person } } } },
    }),
  ],
  ['organization.findUnique', (a) => ({ where: { stripeId: a('organization.stripeId') } })],
  [
    'organization.findUnique',
    (a) => ({
      where: { id: a('organization.id') },
      include: { _count: { select: { memberships: true, projects: true } } },
    }),
  ],
  [
    'organization.findUnique',
    (a) => ({
      where: { slug: a('organization.slug') },
      include: { memberships: { where: { userId: a('membership.userId') }, select: { role: true } } },
    }),
  ],
  [
    'membership.findUnique',
    (a) => ({
      where: {
        organizationId_userId: {
          organizationId: a('membership.organizationId'),
          userId: a('membership.userId'),
        },
      },
    }),
  ],
  [
    'membership.findUnique',
    (a) => ({
      where: {
        organizationId_userId: {
          organizationId: a('membership.organizationId'),
          userId: a('membership.userId'),
        },
      },
      include: { organization: true },
    }),
  ],
  [
    'membership.findFirst',
    (a) => ({
      where: {
        userId: a('membership.userId'),
        organizationId: a('membership.organizationId'),
        accepted: true,
      },
    }),
  ],
  [
    'membership.findFirst',
    (a) => ({ where: { userId: a('membership.userId') }, include: { organization: true } }),
  ],
  [
    'membership.findFirst',
    (a) => ({ where: { userId: a('membership.userId'), organization: { slug: a('organization.slug') } } }),
  ],
  [
    'membership.findFirst',
    (a) => ({ where: { organizationId: a('membership.organizationId'), role: 'OWNER' } }),
  ],
  [
    'membership.findMany',
    (a) => ({ where: { userId: a('membership.userId') }, include: { organization: true } }),
  ],
  [
    'membership.findMany',
    (a) => ({
      where: { organizationId: a('membership.organizationId') },
      include: { user: true },
      orderBy: { createdAt: 'asc' },
    }),
  ],
  [
    'membership.findMany',
    (a) => ({
      where: { organizationId: a('membership.organizationId'), role: { in: ['OWNER', 'ADMIN'] } },
      select: { userId: true },
    }),
  ],
  ['membership.count', (a) => ({ where: { organizationId: a('membership.organizationId') } })],
  ['membership.count', (a) => ({ where: { organizationId: a('membership.organizationId'), role: 'OWNER' } })],
  [
    'invitation.findUnique',
    (a) => ({
      where: { token: a('invitation.token') },
      include: { organization: true, invitedBy: { select: { name: true } } },
    }),
  ],
  [
    'invitation.findFirst',
    (a) => ({
      where: {
        organizationId: a('invitation.organizationId'),
        email: a('invitation.email'),
        acceptedAt: null,
      },
    }),
  ],
  [
    'invitation.findMany',
    (a) => ({
      where: { organizationId: a('invitation.organizationId'), acceptedAt: null },
      orderBy: { expiresAt: 'desc' },
    }),
  ],
  [
    'invitation.findMany',
    (a) => ({ where: { email: a('invitation.email'), acceptedAt: null, expiresAt: { gt: now } } }),
  ],
  ['subscription.findUnique', (a) => ({ where: { organizationId: a('subscription.organizationId') } })],
  ['subscription.findUnique', (a) => ({ where: { stripeId: a('subscription.stripeId') } })],
  [
    'subscription.findFirst',
    (a) => ({ where: { organizationId: a('subscription.organizationId'), status: 'status 1' } }),
  ],
  // Teams and projects
  [
    'team.findUnique',
    (a) => ({
      where: { organizationId_slug: { organizationId: a('team.organizationId'), slug: a('team.slug') } },
    }),
  ],
  ['team.findFirst', (a) => ({ where: { id: a('team.id'), organizationId: a('team.organizationId') } })],
  [
    'team.findFirst',
    (a) => ({
      where: { slug: a('team.slug'), organizationId: a('team.organizationId'), archivedAt: null },
      include: { members: { include: { user: { select: person } } } },
    }),
  ],
  [
    'team.findMany',
    (a) => ({
      where: { organizationId: a('team.organizationId'), archivedAt: null },
      orderBy: { name: 'asc' },
    }),
  ],
  [
    'team.findMany',
    (a) => ({
      where: {
        organizationId: a('team.organizationId'),
        members: { some: { userId: a('teamMember.userId') } },
      },
    }),
  ],
  [
    'team.findMany',
    (a) => ({
      where: {
        organizationId: a('team.organizationId'),
        OR: [{ isPrivate: false }, { members: { some: { userId: a('teamMember.userId') } } }],
      },
    }),
  ],
  ['team.findUnique', (a) => ({ where: { id: a('team.id') }, include: { members: true, projects: true } })],
  [
    'teamMember.findUnique',
    (a) => ({ where: { teamId_userId: { teamId: a('teamMember.teamId'), userId: a('teamMember.userId') } } }),
  ],
  [
    'teamMember.findFirst',
    (a) => ({
      where: {
        teamId: a('teamMember.teamId'),
        userId: a('teamMember.userId'),
        role: { in: ['OWNER', 'ADMIN'] },
      },
    }),
  ],
  [
    'teamMember.findMany',
    (a) => ({ where: { teamId: a('teamMember.teamId') }, include: { user: { select: person } } }),
  ],
  ['teamMember.findMany', (a) => ({ where: { userId: a('teamMember.userId') }, select: { teamId: true } })],
  ['project.findUnique', (a) => ({ where: { id: a('project.id') } })],
  [
    'project.findFirst',
    (a) => ({ where: { id: a('project.id'), organizationId: a('project.organizationId') } }),
  ],
  [
    'project.findFirst',
    (a) => ({
      where: { id: a('project.id'), organizationId: a('project.organizationId'), archivedAt: null },
      include: { sections: { orderBy: { position: 'asc' } }, team: true },
    }),
  ],
  [
    'project.findFirst',
    (a) => ({
      where: {
        id: a('project.id'),
        organization: { memberships: { some: { userId: a('membership.userId') } } },
      },
    }),
  ],
  [
    'project.findFirst',
    (a) => ({ where: { id: a('project.id'), members: { some: { userId: a('projectMember.userId') } } } }),
  ],
  [
    'project.findUnique',
    (a) => ({
      where: { organizationId_key: { organizationId: a('project.organizationId'), key: a('project.key') } },
      include: { team: true },
    }),
  ],
  [
    'project.findMany',
    (a) => ({
      where: { organizationId: a('project.organizationId'), archivedAt: null },
      orderBy: [{ position: 'asc' }, { createdAt: 'desc' }],
    }),
  ],
  [
    'project.findMany',
    (a) => ({ where: { teamId: a('project.teamId') }, include: { _count: { select: { tasks: true } } } }),
  ],
  [
    'project.findMany',
    (a) => ({
      where: {
        organizationId: a('project.organizationId'),
        members: { some: { userId: a('projectMember.userId') } },
      },
      orderBy: { updatedAt: 'desc' },
    }),
  ],
  ['project.count', (a) => ({ where: { organizationId: a('project.organizationId'), archivedAt: null } })],
  [
    'projectMember.findUnique',
    (a) => ({
      where: {
        projectId_userId: { projectId: a('projectMember.projectId'), userId: a('projectMember.userId') },
      },
    }),
  ],
  [
    'projectMember.findMany',
    (a) => ({ where: { projectId: a('projectMember.projectId') }, include: { user: true } }),
  ],
  [
    'section.findMany',
    (a) => ({ where: { projectId: a('section.projectId') }, orderBy: { position: 'asc' } }),
  ],
  [
    'section.findFirst',
    (a) => ({ where: { projectId: a('section.projectId') }, orderBy: { position: 'desc' } }),
  ],
  // Tasks
  ['task.findUnique', (a) => ({ where: { id: a('task.id') } })],
  [
    'task.findUnique',
    (a) => ({
      where: { id: a('task.id') },
      include: { assignee: { select: person }, creator: { select: person }, labels: true, section: true },
    }),
  ],
  ['task.findFirst', (a) => ({ where: { id: a('task.id'), deletedAt: null } })],
  [
    'task.findFirst',
    (a) => ({ where: { id: a('task.id'), project: { organizationId: a('project.organizationId') } } }),
  ],
  [
    'task.findFirst',
    (a) => ({
      where: { id: a('task.id'), projectId: a('task.projectId') },
      include: {
        comments: { include: { author: true }, orderBy: { createdAt: 'asc' } },
        attachments: true,
        subtasks: true,
      },
    }),
  ],
  [
    'task.findUnique',
    (a) => ({ where: { projectId_number: { projectId: a('task.projectId'), number: a('task.number') } } }),
  ],
  [
    'task.findFirst',
    (a) => ({
      where: { projectId: a('task.projectId') },
      orderBy: { number: 'desc' },
      select: { number: true },
    }),
  ],
  [
    'task.findMany',
    (a) => ({ where: { projectId: a('task.projectId'), deletedAt: null }, orderBy: { position: 'asc' } }),
  ],
  [
    'task.findMany',
    (a) => ({
      where: { projectId: a('task.projectId'), deletedAt: null, parentId: null },
      include: {
        assignee: { select: person },
        labels: true,
        _count: { select: { comments: true, subtasks: true } },
      },
    }),
  ],
  ['task.findMany', (a) => ({ where: { projectId: a('task.projectId'), status: 'TODO' } })],
  ['task.findMany', (a) => ({ where: { sectionId: a('task.sectionId') }, orderBy: { position: 'asc' } })],
  [
    'task.findMany',
    (a) => ({
      where: { assigneeId: a('task.assigneeId'), status: { not: 'DONE' }, deletedAt: null },
      orderBy: { dueAt: 'asc' },
      include: { project: true },
    }),
  ],
  [
    'task.findMany',
    (a) => ({ where: { assigneeId: a('task.assigneeId'), dueAt: { lte: now }, completedAt: null } }),
  ],
  [
    'task.findMany',
    (a) => ({
      where: {
        project: { organizationId: a('project.organizationId') },
        title: { contains: 'e', mode: 'insensitive' },
      },
      take: 20,
    }),
  ],
  ['task.findMany', (a) => ({ where: { parentId: a('task.parentId') } })],
  ['task.findMany', (a) => ({ where: { labels: { some: { id: a('label.id') } } } })],
  ['task.findMany', (a) => ({ where: { id: { in: [a('task.id')] }, projectId: a('task.projectId') } })],
  ['task.count', (a) => ({ where: { projectId: a('task.projectId'), status: 'DONE' } })],
  ['task.groupBy', (a) => ({ by: ['status'], where: { projectId: a('task.projectId') }, _count: true })],
  [
    'comment.findMany',
    (a) => ({
      where: { taskId: a('comment.taskId') },
      include: { author: { select: person } },
      orderBy: { createdAt: 'asc' },
    }),
  ],
  ['comment.findFirst', (a) => ({ where: { id: a('comment.id'), authorId: a('comment.authorId') } })],
  [
    'comment.findUnique',
    (a) => ({ where: { id: a('comment.id') }, include: { task: { include: { project: true } } } }),
  ],
  [
    'label.findMany',
    (a) => ({ where: { organizationId: a('label.organizationId') }, orderBy: { name: 'asc' } }),
  ],
  [
    'label.findUnique',
    (a) => ({
      where: { organizationId_name: { organizationId: a('label.organizationId'), name: a('label.name') } },
    }),
  ],
  // Documents, notifications, integrations
  [
    'document.findUnique',
    (a) => ({ where: { id: a('document.id') }, include: { author: { select: person } } }),
  ],
  ['document.findUnique', (a) => ({ where: { shareToken: a('document.shareToken') } })],
  [
    'document.findMany',
    (a) => ({
      where: { projectId: a('document.projectId'), isArchived: false, parentId: null },
      orderBy: { title: 'asc' },
      include: { children: true },
    }),
  ],
  [
    'notification.findMany',
    (a) => ({ where: { userId: a('notification.userId') }, orderBy: { createdAt: 'desc' }, take: 30 }),
  ],
  ['notification.count', (a) => ({ where: { userId: a('notification.userId'), readAt: null } })],
  [
    'webhook.findMany',
    (a) => ({
      where: { organizationId: a('webhook.organizationId'), active: true, events: { has: 'events 1' } },
    }),
  ],
  [
    'auditLog.findMany',
    (a) => ({
      where: { organizationId: a('auditLog.organizationId'), createdAt: { gte: now } },
      orderBy: { createdAt: 'desc' },
      take: 50,
      skip: 50,
    }),
  ],
]
