import type { JsonValue } from '@sluice/core-tools';

/** A tool as an MCP server would list it, and one call of it that is right. */
export interface McpTool {
  readonly name: string;
  readonly schema: Readonly<Record<string, JsonValue>>;
  readonly output?: Readonly<Record<string, JsonValue>>;
  readonly example: JsonValue;
}

type Schema = Readonly<Record<string, JsonValue>>;

const s: Schema = { type: 'string' };
const n: Schema = { type: 'number' };
const i: Schema = { type: 'integer' };
const b: Schema = { type: 'boolean' };
const list = (items: JsonValue, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
const one = (...values: readonly JsonValue[]): Schema => ({ enum: values });
const obj = (properties: Readonly<Record<string, JsonValue>>, required: readonly string[] = [], more: Schema = {}): Schema => ({ type: 'object', properties, required, ...more });
const draft7: Schema = { $schema: 'http://json-schema.org/draft-07/schema#', additionalProperties: false };
const draft2020: Schema = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
const maybe = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const page = { page: { type: 'number', minimum: 1, description: 'Page number for pagination (min 1)' }, perPage: { type: 'number', minimum: 1, maximum: 100, default: 30 } };
const repo = { owner: { ...s, description: 'Repository owner' }, repo: { ...s, description: 'Repository name' } };
const at = ['owner', 'repo'];
const here = { owner: 'octo', repo: 'hello' };
const tool = (name: string, schema: Schema, example: JsonValue, output?: Schema): McpTool => (output === undefined ? { name, schema, example } : { name, schema, example, output });

const tree: Schema = { ...obj({ name: s, type: one('file', 'directory'), children: list({ $ref: '#/$defs/node' }) }, ['name', 'type']) };
const filter: Schema = {
  oneOf: [
    obj({ and: list({ $ref: '#/$defs/filter' }, { minItems: 1 }) }, ['and'], { additionalProperties: false }),
    obj({ or: list({ $ref: '#/$defs/filter' }) }, ['or'], { additionalProperties: false }),
    obj({ property: s, equals: { type: ['string', 'number', 'boolean', 'null'] } }, ['property', 'equals'], { additionalProperties: false }),
  ],
};
const richText = obj({ type: { const: 'text' }, text: obj({ content: s, href: maybe(obj({ url: { ...s, format: 'uri' } }, ['url'])) }, ['content']) }, ['type', 'text']);

/** A hundred tools in the manner of servers that are in use: what they say about their arguments, and how they say it. */
export const mcpTools: readonly McpTool[] = [
  // github
  tool('create_or_update_file', obj({ ...repo, path: s, content: s, message: s, branch: s, sha: { ...s, description: 'Required if updating an existing file' } }, [...at, 'path', 'content', 'message', 'branch'], draft7), { ...here, path: 'a', content: 'b', message: 'c', branch: 'main' }),
  tool('search_repositories', obj({ query: s, ...page }, ['query'], draft7), { query: 'x', page: 1 }),
  tool('push_files', obj({ ...repo, branch: s, files: list(obj({ path: s, content: s }, ['path', 'content'], { additionalProperties: false })), message: s }, [...at, 'branch', 'files', 'message'], draft7), { ...here, branch: 'm', files: [{ path: 'a', content: '' }], message: 'x' }),
  tool('create_issue', obj({ ...repo, title: s, body: s, assignees: list(s), milestone: n, labels: list(s) }, [...at, 'title'], draft7), { ...here, title: 't', labels: ['bug'] }),
  tool('list_issues', obj({ ...repo, direction: one('asc', 'desc'), labels: list(s), since: { ...s, format: 'date-time' }, sort: one('created', 'updated', 'comments'), state: one('open', 'closed', 'all'), ...page }, at, draft7), { ...here, state: 'all', since: '2025-01-01T00:00:00Z' }),
  tool('create_pull_request_review', obj({ ...repo, pull_number: n, event: one('APPROVE', 'REQUEST_CHANGES', 'COMMENT'), comments: list({ anyOf: [obj({ path: s, position: n, body: s }, ['path', 'position', 'body'], { additionalProperties: false }), obj({ path: s, line: n, body: s }, ['path', 'line', 'body'], { additionalProperties: false })] }) }, [...at, 'pull_number', 'event'], draft7), { ...here, pull_number: 1, event: 'COMMENT', comments: [{ path: 'a', line: 3, body: 'b' }] }),
  tool('merge_pull_request', obj({ ...repo, pull_number: i, merge_method: { type: 'string', enum: ['merge', 'squash', 'rebase'], default: 'merge' } }, [...at, 'pull_number']), { ...here, pull_number: 7, merge_method: 'squash' }),
  tool('get_file_contents', obj({ ...repo, path: { ...s, default: '/' }, ref: s }, at), { ...here }, { oneOf: [obj({ type: { const: 'file' }, content: s, sha: { ...s, pattern: '^[0-9a-f]{40}$' } }, ['type', 'content']), obj({ type: { const: 'dir' }, entries: list(s) }, ['type', 'entries'])] }),
  tool('fork_repository', obj({ ...repo, organization: s }, at), here),
  tool('list_commits', obj({ ...repo, sha: s, ...page }, at), { ...here, perPage: 5 }, list(obj({ sha: s, commit: obj({ message: s, author: obj({ name: s, date: { ...s, format: 'date-time' } }) }) }, ['sha']))),
  tool('update_issue', obj({ ...repo, issue_number: i, state: one('open', 'closed'), state_reason: { type: ['string', 'null'], enum: ['completed', 'not_planned', null] } }, [...at, 'issue_number']), { ...here, issue_number: 2, state_reason: null }),
  tool('graphql', obj({ query: s, variables: { type: 'object', additionalProperties: true } }, ['query']), { query: '{ viewer { login } }', variables: { first: 3 } }),
  // filesystem
  tool('fs_read_text_file', obj({ path: s, tail: { ...n, description: 'Last N lines' }, head: n }, ['path'], draft7), { path: '/a', head: 3 }, obj({ content: s }, ['content'], { ...draft7 })),
  tool('fs_read_multiple_files', obj({ paths: list(s, { minItems: 1, description: 'Array of file paths to read. Each path must be a string. */ const x = 1; /*' }) }, ['paths'], draft7), { paths: ['a'] }),
  tool('fs_edit_file', obj({ path: s, edits: list(obj({ oldText: { ...s, description: 'Text to search for - must match exactly' }, newText: s }, ['oldText', 'newText'], { additionalProperties: false })), dryRun: { ...b, default: false } }, ['path', 'edits'], draft7), { path: 'a', edits: [{ oldText: 'b', newText: 'c' }] }),
  tool('fs_directory_tree', obj({ path: s, excludePatterns: list(s, { default: [] }) }, ['path']), { path: '.' }, { ...draft2020, $ref: '#/$defs/node', $defs: { node: tree } }),
  tool('fs_list_directory_with_sizes', obj({ path: s, sortBy: { type: 'string', enum: ['name', 'size'], default: 'name' } }, ['path']), { path: '.', sortBy: 'size' }),
  tool('fs_move_file', obj({ source: s, destination: s }, ['source', 'destination'], draft7), { source: 'a', destination: 'b' }),
  tool('fs_search_files', obj({ path: s, pattern: s, excludePatterns: list(s) }, ['path', 'pattern']), { path: '.', pattern: '*.ts' }),
  tool('fs_get_file_info', obj({ path: s }, ['path']), { path: 'a' }, obj({ size: i, created: { ...s, format: 'date-time' }, permissions: { ...s, pattern: '^[0-7]{3}$' } })),
  tool('fs_list_allowed_directories', { type: 'object', properties: {} }, {}),
  tool('fs_read_media_file', obj({ path: s }, ['path'], draft7), { path: 'a.png' }, obj({ content: list(obj({ type: one('image', 'audio', 'blob'), data: { ...s, contentEncoding: 'base64' }, mimeType: s }, ['type', 'data', 'mimeType'])) }, ['content'])),
  // slack
  tool('slack_post_message', obj({ channel_id: { ...s, pattern: '^[CGD][A-Z0-9]+$' }, text: { ...s, maxLength: 40_000 } }, ['channel_id', 'text']), { channel_id: 'C123', text: 'hi' }),
  tool('slack_reply_to_thread', obj({ channel_id: s, thread_ts: { ...s, description: "The timestamp in the format '1234567890.123456'." }, text: s }, ['channel_id', 'thread_ts', 'text']), { channel_id: 'C1', thread_ts: '1.2', text: 'x' }),
  tool('slack_add_reaction', obj({ channel_id: s, timestamp: s, reaction: s }, ['channel_id', 'timestamp', 'reaction']), { channel_id: 'C1', timestamp: '1', reaction: 'thumbsup' }),
  tool('slack_list_channels', obj({ limit: { ...n, default: 100, maximum: 200 }, cursor: s }), { limit: 10 }),
  tool('slack_get_users', obj({ cursor: maybe(s), limit: n }), { cursor: null }),
  tool('slack_post_blocks', obj({ channel: s, blocks: list({ oneOf: [obj({ type: { const: 'section' }, text: { $ref: '#/definitions/text' } }, ['type', 'text']), obj({ type: { const: 'divider' } }, ['type'])] }) }, ['channel', 'blocks'], { definitions: { text: obj({ type: one('mrkdwn', 'plain_text'), text: s }, ['type', 'text']) } }), { channel: 'C', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*x*' } }, { type: 'divider' }] }),
  tool('slack_schedule_message', obj({ channel: s, post_at: { type: 'integer', exclusiveMinimum: 0 }, text: s }, ['channel', 'post_at', 'text']), { channel: 'C', post_at: 1_700_000_000, text: 'x' }),
  tool('slack_search-messages', obj({ query: s, 'sort-by': one('score', 'timestamp'), 'include archived': b }, ['query']), { query: 'x', 'sort-by': 'score', 'include archived': true }),
  // postgres, sqlite, redis, mongodb
  tool('pg_query', obj({ sql: s, params: list({ type: ['string', 'number', 'boolean', 'null'] }) }, ['sql']), { sql: 'select $1', params: [1, null, 'a'] }, obj({ rows: list({ type: 'object', additionalProperties: true }), rowCount: maybe(i) }, ['rows'])),
  tool('pg_describe_table', obj({ table: s, schema: { ...s, default: 'public' } }, ['table']), { table: 't' }, list(obj({ column_name: s, data_type: s, is_nullable: one('YES', 'NO') }, ['column_name']))),
  tool('pg_insert', obj({ table: s, values: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] }, minProperties: 1 } }, ['table', 'values']), { table: 't', values: { id: 1, note: null } }),
  tool('pg_explain', obj({ sql: s, analyze: b, format: one('text', 'json', 'yaml') }, ['sql']), { sql: 'select 1', format: 'json' }),
  tool('sqlite_read_query', obj({ query: { ...s, description: 'SELECT SQL query to execute' } }, ['query']), { query: 'select 1' }),
  tool('sqlite_append_insight', obj({ insight: { ...s, description: 'Business insight discovered from data analysis' } }, ['insight']), { insight: 'x' }),
  tool('redis_set', obj({ key: s, value: s, expireSeconds: n }, ['key', 'value']), { key: 'a', value: 'b' }),
  tool('redis_delete', obj({ key: { oneOf: [s, list(s)] } }, ['key']), { key: ['a', 'b'] }),
  tool('redis_zadd', obj({ key: s, members: list({ type: 'array', prefixItems: [n, s], items: false, minItems: 2 }) }, ['key', 'members'], draft2020), { key: 'k', members: [[1, 'a'], [2, 'b']] }),
  tool('mongo_find', obj({ collection: s, filter: { type: 'object' }, projection: { type: 'object', additionalProperties: one(0, 1) }, sort: { type: 'object', additionalProperties: one(1, -1) }, limit: { ...i, default: 10 } }, ['collection']), { collection: 'c', filter: { a: { $gt: 1 } }, sort: { a: -1 } }),
  tool('mongo_aggregate', obj({ collection: s, options: obj({ maxTimeMS: i, allowDiskUse: b }, [], { additionalProperties: s, patternProperties: { '^x-': n } }), pipeline: list({ type: 'object', minProperties: 1, maxProperties: 1 }) }, ['collection', 'pipeline']), { collection: 'c', options: { maxTimeMS: 5, hint: 'by_id', 'x-trace': 1 }, pipeline: [{ $match: {} }] }),
  // browser
  tool('browser_navigate', obj({ url: { ...s, format: 'uri' } }, ['url'], draft7), { url: 'https://example.com' }),
  tool('browser_click', obj({ element: s, ref: s, button: one('left', 'right', 'middle'), doubleClick: b, modifiers: list(one('Alt', 'Control', 'Meta', 'Shift')) }, ['element', 'ref'], draft7), { element: 'x', ref: 'e1', modifiers: ['Alt'] }),
  tool('browser_fill_form', obj({ fields: list(obj({ name: s, type: one('textbox', 'checkbox', 'radio', 'combobox', 'slider'), ref: s, value: s }, ['name', 'type', 'ref', 'value'], { additionalProperties: false })) }, ['fields'], draft7), { fields: [{ name: 'n', type: 'checkbox', ref: 'e', value: 'true' }] }),
  tool('browser_evaluate', obj({ function: s, element: s }, ['function'], draft7), { function: '() => 1' }),
  tool('browser_take_screenshot', obj({ type: { ...one('png', 'jpeg'), default: 'png' }, filename: s, fullPage: b }, [], draft7), { type: 'png' }),
  tool('browser_wait_for', obj({ time: n, text: s, textGone: s }, [], draft7), { time: 1 }),
  tool('browser_tabs', obj({ action: one('list', 'new', 'close', 'select'), index: n }, ['action'], draft7), { action: 'select', index: 0 }),
  tool('browser_mouse_drag', obj({ from: { $ref: '#/$defs/point' }, to: { $ref: '#/$defs/point' } }, ['from', 'to'], { $defs: { point: { type: 'array', prefixItems: [n, n], minItems: 2, maxItems: 2 } } }), { from: [0, 0], to: [5, 5] }),
  tool('puppeteer_screenshot', obj({ name: s, selector: s, width: { ...n, default: 800 }, encoded: b }, ['name']), { name: 'x' }),
  tool('browser_resize', obj({ size: { oneOf: [obj({ width: i, height: i }, ['width', 'height'], { additionalProperties: false }), one('maximized', 'minimized')] } }, ['size']), { size: 'maximized' }),
  tool('browser_set_cookies', obj({ cookies: list(obj({ name: s, value: s, sameSite: one('Strict', 'Lax', 'None'), expires: { ...n, minimum: -1 } }, ['name', 'value'])) }, ['cookies']), { cookies: [{ name: 'a', value: 'b', expires: -1 }] }),
  // jira, confluence, linear, notion
  tool('jira_search', obj({ jql: s, fields: { anyOf: [s, list(s)], default: 'summary,status' }, start_at: { ...i, minimum: 0, default: 0 } }, ['jql']), { jql: 'project = X', fields: ['summary'] }),
  tool('jira_create_issue', obj({ project_key: { ...s, pattern: '^[A-Z][A-Z0-9_]+$' }, summary: s, issue_type: s, additional_fields: { anyOf: [{ type: 'object', additionalProperties: true }, s, { type: 'null' }], default: null, title: 'Additional Fields' } }, ['project_key', 'summary', 'issue_type']), { project_key: 'AB', summary: 's', issue_type: 'Bug', additional_fields: { priority: { name: 'High' } } }),
  tool('jira_transition_issue', obj({ issue_key: s, transition_id: { anyOf: [i, s] }, fields: { type: 'object' } }, ['issue_key', 'transition_id']), { issue_key: 'A-1', transition_id: 5 }),
  tool('jira_add_worklog', obj({ issue_key: s, time_spent: { ...s, pattern: '^(\\d+[wdhm]\\s*)+$' }, started: maybe({ ...s, format: 'date-time' }) }, ['issue_key', 'time_spent']), { issue_key: 'A-1', time_spent: '1h 30m', started: null }),
  tool('jira_batch_create', obj({ issues: list({ $ref: '#/$defs/Issue' }), validate_only: b }, ['issues'], { $defs: { Issue: obj({ summary: s, parent: maybe({ $ref: '#/$defs/Issue' }) }, ['summary'], { title: 'Issue' }) } }), { issues: [{ summary: 'a', parent: { summary: 'b', parent: null } }] }),
  tool('confluence_search', obj({ query: s, limit: { ...i, minimum: 1, maximum: 50, default: 10 }, spaces_filter: maybe(s) }, ['query']), { query: 'x' }),
  tool('confluence_create_page', obj({ space_key: s, title: s, content: s, parent_id: { anyOf: [s, i, { type: 'null' }] }, content_format: one('markdown', 'wiki', 'storage') }, ['space_key', 'title', 'content']), { space_key: 'S', title: 't', content: 'c', parent_id: 3 }),
  tool('linear_create_issue', obj({ title: s, teamId: { ...s, format: 'uuid' }, priority: { ...i, minimum: 0, maximum: 4 }, estimate: n }, ['title', 'teamId']), { title: 'x', teamId: '123e4567-e89b-12d3-a456-426614174000', priority: 2 }),
  tool('linear_list_issues', obj({ filter: obj({ state: obj({ type: obj({ in: list(one('backlog', 'started', 'completed')) }) }) }), orderBy: one('createdAt', 'updatedAt') }), { filter: { state: { type: { in: ['started'] } } } }),
  tool('notion_query_database', obj({ database_id: s, filter: { $ref: '#/$defs/filter' }, page_size: { ...i, maximum: 100 } }, ['database_id'], { ...draft2020, $defs: { filter } }), { database_id: 'd', filter: { and: [{ property: 'p', equals: 1 }, { or: [] }] } }),
  tool('notion_append_blocks', obj({ block_id: s, children: list({ $ref: '#/$defs/block' }) }, ['block_id', 'children'], { $defs: { block: obj({ type: one('paragraph', 'toggle'), rich_text: list(richText), children: list({ $ref: '#/$defs/block' }) }, ['type', 'rich_text']) } }), { block_id: 'b', children: [{ type: 'toggle', rich_text: [{ type: 'text', text: { content: 'x', href: null } }], children: [{ type: 'paragraph', rich_text: [] }] }] }),
  tool('API-post-search', obj({ query: s, sort: obj({ direction: one('ascending', 'descending'), timestamp: { const: 'last_edited_time' } }) }), { sort: { direction: 'ascending', timestamp: 'last_edited_time' } }),
  // google drive, calendar, gmail, maps
  tool('gdrive_search', obj({ query: s, pageToken: s, pageSize: { ...n, maximum: 100 } }, ['query']), { query: 'x' }),
  tool('gsheets_update', obj({ range: s, data: list(list({ type: ['string', 'number', 'boolean', 'null'] })) }, ['range', 'data']), { range: 'A1', data: [['a', 1, null]] }),
  tool('calendar_create_event', obj({ summary: s, start: { $ref: '#/$defs/moment' }, end: { $ref: '#/$defs/moment' }, attendees: list(obj({ email: { ...s, format: 'email' } }, ['email'])), reminders: obj({ useDefault: b, overrides: list(obj({ method: { ...one('email', 'popup'), default: 'popup' }, minutes: n }, ['minutes'])) }, ['useDefault']) }, ['summary', 'start', 'end'], { $defs: { moment: { oneOf: [obj({ dateTime: { ...s, format: 'date-time' }, timeZone: s }, ['dateTime'], { additionalProperties: false }), obj({ date: { ...s, format: 'date' } }, ['date'], { additionalProperties: false })] } } }), { summary: 's', start: { date: '2025-01-01' }, end: { dateTime: '2025-01-01T10:00:00Z' }, attendees: [{ email: 'a@b.c' }] }),
  tool('calendar_list_events', obj({ calendarId: s, timeMin: { ...s, format: 'date-time' }, singleEvents: b }, ['calendarId']), { calendarId: 'primary' }),
  tool('gmail_send', obj({ to: list({ ...s, format: 'email' }, { minItems: 1, uniqueItems: true }), subject: s, body: s, mimeType: { ...one('text/plain', 'text/html', 'multipart/alternative'), default: 'text/plain' } }, ['to', 'subject', 'body'], draft7), { to: ['a@b.c'], subject: 's', body: 'b' }),
  tool('gmail_create_filter', obj({ criteria: obj({ from: s, size: i, sizeComparison: one('unspecified', 'smaller', 'larger') }, [], { additionalProperties: false }), action: obj({ addLabelIds: list(s) }) }, ['criteria', 'action']), { criteria: { from: 'x', size: 3 }, action: {} }),
  tool('maps_geocode', obj({ address: s }, ['address']), { address: 'x' }, obj({ location: obj({ lat: { ...n, minimum: -90, maximum: 90 }, lng: n }, ['lat', 'lng']) }, ['location'])),
  tool('maps_distance_matrix', obj({ origins: list(s), destinations: list(s), mode: one('driving', 'walking', 'bicycling', 'transit') }, ['origins', 'destinations']), { origins: ['a'], destinations: ['b'], mode: 'transit' }),
  tool('maps_route', obj({ waypoints: list({ oneOf: [s, { type: 'array', items: [n, n], additionalItems: false, minItems: 2 }] }) }, ['waypoints'], draft7), { waypoints: ['a', [1, 2]] }),
  // memory, thinking, time, fetch, search
  tool('memory_create_entities', obj({ entities: list(obj({ name: { ...s, description: 'The name of the entity' }, entityType: s, observations: list(s) }, ['name', 'entityType', 'observations'])) }, ['entities']), { entities: [{ name: 'a', entityType: 'b', observations: [] }] }),
  tool('memory_create_relations', obj({ relations: list(obj({ from: s, to: s, relationType: s }, ['from', 'to', 'relationType'], { additionalProperties: false })) }, ['relations']), { relations: [{ from: 'a', to: 'b', relationType: 'c' }] }),
  tool('memory_read_graph', { type: 'object', properties: {}, additionalProperties: false }, {}, obj({ entities: list(obj({ name: s }, ['name'])), relations: list({}) }, ['entities', 'relations'])),
  tool('sequentialthinking', obj({ thought: s, nextThoughtNeeded: b, thoughtNumber: { ...i, minimum: 1 }, totalThoughts: { ...i, minimum: 1 }, isRevision: b, branchId: s }, ['thought', 'nextThoughtNeeded', 'thoughtNumber', 'totalThoughts']), { thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
  tool('get_current_time', obj({ timezone: { ...s, description: "IANA timezone name. Use 'UTC' as local timezone" } }, ['timezone']), { timezone: 'UTC' }),
  tool('convert_time', obj({ source_timezone: s, time: { ...s, pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' }, target_timezone: s }, ['source_timezone', 'time', 'target_timezone']), { source_timezone: 'UTC', time: '10:00', target_timezone: 'UTC' }),
  tool('fetch', { ...obj({ url: { ...s, format: 'uri', minLength: 1, title: 'Url' }, max_length: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 1_000_000, default: 5_000, title: 'Max Length' }, raw: { ...b, default: false } }, ['url']), title: 'Fetch', description: 'Parameters for fetching a URL.' }, { url: 'https://a.b', max_length: 5 }),
  tool('brave_web_search', obj({ query: { ...s, maxLength: 400 }, count: { ...n, default: 10 }, offset: n }, ['query']), { query: 'x' }),
  tool('tavily-search', obj({ query: s, search_depth: { ...one('basic', 'advanced'), default: 'basic' }, topic: one('general', 'news'), time_range: one('day', 'week', 'd', 'w'), include_domains: list(s, { default: [] }) }, ['query']), { query: 'x', time_range: 'd' }),
  tool('exa_search', obj({ query: s, numResults: { ...i, default: 5 }, contents: { anyOf: [b, obj({ text: b, highlights: obj({ numSentences: i }) })] } }, ['query']), { query: 'x', contents: true }),
  // infrastructure
  tool('kubectl_get', obj({ resourceType: s, name: s, namespace: { ...s, default: 'default' }, output: one('json', 'yaml', 'wide', 'name', 'custom'), labelSelector: s, allNamespaces: b }, ['resourceType']), { resourceType: 'pods', output: 'wide' }),
  tool('kubectl_apply', obj({ manifest: { anyOf: [s, { $ref: '#/$defs/resource' }] }, dryRun: b }, ['manifest'], { $defs: { resource: obj({ apiVersion: s, kind: s, metadata: obj({ name: s, labels: { type: 'object', additionalProperties: s } }, ['name']), spec: {} }, ['apiVersion', 'kind', 'metadata']) } }), { manifest: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: null } }),
  tool('docker_run', obj({ image: s, env: { type: 'object', patternProperties: { '^[A-Z_]+$': s }, additionalProperties: false }, ports: { type: 'object', additionalProperties: maybe(i) } }, ['image']), { image: 'x', env: { A: 'b' }, ports: { '80/tcp': 8080 } }),
  tool('aws_s3_list', obj({ Bucket: s, Prefix: s, MaxKeys: { ...i, maximum: 1_000 } }, ['Bucket']), { Bucket: 'b' }, obj({ Contents: list(obj({ Key: s, Size: i, LastModified: { ...s, format: 'date-time' } })) })),
  tool('cloudflare_kv_put', obj({ namespaceId: s, key: s, value: s, metadata: { type: ['object', 'null'] }, expirationTtl: { ...i, minimum: 60 } }, ['namespaceId', 'key', 'value']), { namespaceId: 'n', key: 'k', value: 'v', metadata: null }),
  tool('sentry_find_issues', obj({ organizationSlug: s, projectSlug: maybe(s), query: s, sortBy: { ...one('last_seen', 'first_seen', 'count', 'userCount'), default: 'last_seen' } }, ['organizationSlug']), { organizationSlug: 'o', projectSlug: null }),
  tool('grafana_query_prometheus', obj({ datasourceUid: s, expr: s, startRfc3339: s, stepSeconds: i, queryType: one('range', 'instant') }, ['datasourceUid', 'expr']), { datasourceUid: 'd', expr: 'up' }, list(obj({ metric: { type: 'object', additionalProperties: s }, values: list({ type: 'array', prefixItems: [n, s] }) }))),
  tool('terraform_search_modules', obj({ moduleQuery: s, currentOffset: { ...n, minimum: 0, default: 0 } }, ['moduleQuery']), { moduleQuery: 'x' }),
  tool('git_commit', obj({ repo_path: { title: 'Repo Path', ...s }, message: { title: 'Message', ...s } }, ['repo_path', 'message'], { title: 'GitCommit' }), { repo_path: '.', message: 'm' }),
  tool('git_log', obj({ repo_path: s, max_count: { ...i, default: 10 }, start_timestamp: { ...maybe(s), default: null, description: 'ISO 8601, relative ("2 weeks ago"), or absolute' } }, ['repo_path']), { repo_path: '.', start_timestamp: null }),
  // commerce, design, everything that is odd
  tool('stripe_create_price', obj({ product: s, unit_amount: i, currency: { ...s, minLength: 3, maxLength: 3 }, recurring: obj({ interval: one('day', 'week', 'month', 'year') }, ['interval']), metadata: { type: 'object', propertyNames: { maxLength: 40 }, additionalProperties: s } }, ['product', 'unit_amount', 'currency']), { product: 'p', unit_amount: 100, currency: 'eur', metadata: { a: 'b' } }),
  tool('figma_get_node', obj({ fileKey: s, nodeId: { ...s, pattern: '^I?\\d+[:-]\\d+$' }, depth: n }, ['fileKey']), { fileKey: 'f', nodeId: '1:2' }, obj({ name: s, children: list({ $ref: '#' }) })),
  tool('hubspot_search', obj({ objectType: { anyOf: [one('contacts', 'companies'), { ...s, pattern: '^2-\\d+$' }] }, filterGroups: list(obj({ filters: list({ allOf: [obj({ propertyName: s }, ['propertyName']), { anyOf: [obj({ operator: { const: 'HAS_PROPERTY' } }, ['operator']), obj({ operator: one('EQ', 'LT'), value: s }, ['operator', 'value'])] }] }) }, ['filters'])) }, ['objectType']), { objectType: 'contacts', filterGroups: [{ filters: [{ propertyName: 'a', operator: 'EQ', value: 'b' }] }] }),
  tool('class', obj({ 'with-dash': s, default: n, __proto_like: b, '': s, 'quote"and\\slash': i }, ['default']), { default: 1, '': 'empty', 'quote"and\\slash': 2 }),
  tool('annotated_everything', obj({ messageType: one('error', 'success', 'debug'), version: { const: 2 }, flag: { const: true }, nothing: { type: 'null' }, any: {}, always: true, pair: { type: 'array', prefixItems: [s, { type: ['integer', 'null'] }], items: false, minItems: 1 } }, ['messageType', 'version', 'any'], draft2020), { messageType: 'debug', version: 2, flag: true, nothing: null, any: { x: [1] }, always: 0, pair: ['a'] }),
  tool('everything_get_resource', obj({ resourceId: { ...n, minimum: 1, maximum: 100 } }, ['resourceId'], draft7), { resourceId: 3 }, { allOf: [obj({ uri: { ...s, format: 'uri' } }, ['uri']), { oneOf: [obj({ text: s }, ['text']), obj({ blob: s }, ['blob'])] }] }),
  tool('expression_eval', obj({ expr: { $ref: '#/$defs/expr' } }, ['expr'], { ...draft2020, $defs: { expr: { anyOf: [n, obj({ op: one('+', '*'), args: list({ $ref: '#/$defs/expr' }, { minItems: 2 }) }, ['op', 'args'], { additionalProperties: false })] } } }), { expr: { op: '+', args: [1, { op: '*', args: [2, 3] }] } }, n),
];
