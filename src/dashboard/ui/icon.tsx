/** Icons on a 24 by 24 grid. They are decorative: the text next to them or the accessible name carries the meaning. */
const paths = {
  replay: 'M4 12a8 8 0 1 0 3-6.2M4 4v5h5',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'm5 12 5 5 9-11',
  cross: 'M6 6l12 12M18 6 6 18',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5v14l12-7z',
  skip: 'M4 5v14l8-7zM12 5v14l8-7z',
  plus: 'M12 5v14M5 12h14',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  key: 'M9 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM13 11h8v4M17 11v3',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16 16l5 5',
  settings: 'M3 7h11M18 7h3M3 17h3M10 17h11M16 5v4M8 15v4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
