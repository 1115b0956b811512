import { describeFileSystem } from '@sluice/testing';
import { fsMemory, MemoryVolume } from '../src/index.ts';

describeFileSystem(
  'fs-memory',
  () => {
    const volume = new MemoryVolume();
    return {
      mount(ctx) {
        ctx.plugin(fsMemory, { volume });
      },
      root: volume.rootPath,
      outside: {
        put: (path, bytes) => { volume.put(path, bytes); },
        bytes: (path) => volume.files()[path],
        remove: (path) => { volume.remove(path); },
        link: (path, target) => { volume.link(path, target); },
        putReadOnly: (path, bytes) => { volume.put(path, bytes, { isReadOnly: true }); },
      },
    };
  },
  // Nothing in memory is neither file nor directory.
  { without: ['putSpecial'] },
);
