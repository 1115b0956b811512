/** What `init` installs: this command, and what the starter names. */
export const STARTER_PACKAGES: readonly string[] = [
  '@sluice/cli',
  '@sluice/core-tools',
  '@sluice/permission-rules',
  '@sluice/approval',
  '@sluice/approval-cli',
  '@sluice/tool-call-timeout-policy',
  '@sluice/fs-local',
  '@sluice/fs-observation-policy',
  '@sluice/tool-fs',
  '@sluice/tool-fs-search',
];

export const STARTER = `# yaml-language-server: $schema=./sluice.schema.json
# A Sluice deployment: which tools there are, and what every call of them goes through.
#   sluice check                                          what it is composed of
#   sluice call read_file '{"path":"package.json"}'       one call, through all of it
#   sluice explain write_file '{"path":"a.txt","content":"hi"}'
#   sluice schema --output sluice.schema.json             what the first line is for: your editor knows the settings

# Hooks run in this order, outermost first. Where a plugin needs another one, the order does not matter.
plugins:
  - "@sluice/core-tools"            # the pipeline

  # Policy: tools that say they only read may run; you are asked about everything else.
  - use: "@sluice/permission-rules"
    config:
      defaults: { readOnlyHint: allow, unmatched: ask }
      rules:
        - { tool: "*", when: { path: { path: "**/.env*" } }, decision: deny, reason: "Secrets stay where they are." }
        # - { tool: write_file, when: { path: { path: "notes/**" } }, decision: allow }
  - "@sluice/approval"              # where a call waits for a person …
  - "@sluice/approval-cli"          # … who is asked in this terminal

  - "@sluice/tool-call-timeout-policy"
  - "@sluice/fs-observation-policy" # what was not read is not changed

  # Files: this directory, and nothing that leads out of it.
  - use: "@sluice/fs-local"
    config: { root: . }
  - "@sluice/tool-fs"               # read_file, write_file, edit_file, list_directory
  - "@sluice/tool-fs-search"        # glob, grep

# Agents, each with a view of its own: sluice tools --scope reader
scopes:
  reader:
    tools: { allow: [read_file, list_directory, glob, grep] }

# Laid over the rest by --env ci or SLUICE_ENV=ci: nobody is there to be asked, so nothing is.
environments:
  ci:
    plugins:
      - use: "@sluice/permission-rules"
        config: { defaults: { unmatched: deny } }
`;
