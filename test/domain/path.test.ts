import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeJson, type JsonChange, parseAssignment } from '../../src/domain/path.ts';
import { SvcError } from '../../src/errors.ts';

const order =
  '{ "id": "ord_1", "total": 12.50, "items": [{ "sku": "A", "n": 1e400 }, { "sku": "B" }], "note": null }';
const add = (path: string, value: string): JsonChange => ({ kind: 'add', path, value });
const override = (path: string, value: string): JsonChange => ({ kind: 'override', path, value });
const remove = (path: string): JsonChange => ({ kind: 'remove', path });

describe('changeJson', () => {
  it.each<[string, JsonChange, string]>([
    ['overrides a member', override('total', '9.90'), '"total":9.90'],
    ['overrides null', override('note', '"x"'), '"note":"x"'],
    ['overrides inside a list', override('items[1].sku', '"C"'), '{"sku":"C"}]'],
    ['overrides a whole list', override('items', '[ 1.0, {} ]'), '"items":[1.0,{}]'],
    ['adds a member', add('gift', 'true'), '"note":null,"gift":true'],
    ['adds the next item of a list', add('items[2]', '{"sku":"C"}'), '{"sku":"B"},{"sku":"C"}]'],
    ['adds what leads to the path', add('to.lines[0].text', '"Hi"'), '"to":{"lines":[{"text":"Hi"}]}'],
    ['adds a member named like a prototype', add('__proto__.x', '1'), '"__proto__":{"x":1}'],
    ['removes a member', remove('note'), '{"sku":"B"}]}'],
    ['removes an item of a list', remove('items[0]'), '"items":[{"sku":"B"}]'],
  ])('%s', (_, change, expected) => {
    expect(changeJson(order, [change])).toContain(expected);
  });

  it('keeps the text of what it does not change', () => {
    expect(changeJson(order, [override('id', '"ord_2"'), remove('note')])).toBe(
      '{"id":"ord_2","total":12.50,"items":[{"sku":"A","n":1e400},{"sku":"B"}]}',
    );
  });

  it('makes changes in order', () => {
    expect(changeJson('{}', [add('a', '1'), override('a', '2'), add('b', '3'), remove('a')])).toBe('{"b":3}');
  });

  it('prints any document as JSON.stringify does when nothing changes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
        const text = JSON.stringify(document);
        expect(changeJson(JSON.stringify(JSON.parse(text), null, 2), [])).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });

  it.each<[JsonChange, RegExp]>([
    [override('totl', '1'), /nothing at totl/],
    [override('items[2].sku', '1'), /nothing at items\[2\]\.sku/],
    [remove('items[0].x'), /nothing at items\[0\]\.x/],
    [remove('items.length'), /nothing at items\.length/],
    [add('total', '1'), /something at total already/],
    [add('items[5]', '1'), /Nothing can be added at items\[5\].*the next is \[2\]/],
    [add('items.sku', '1'), /Nothing can be added at items\.sku/],
    [add('total.amount', '1'), /Nothing can be added at total\.amount.*no object/],
    ...['', '.', '.a', 'a.', 'a..b', 'a[b]', 'a[', 'a]', '[0]', 'a[-1]'].map((path): [JsonChange, RegExp] => [
      add(path, '1'),
      /is not a path/,
    ]),
  ])('refuses %j', (change, message) => {
    expect(() => changeJson(order, [change])).toThrow(SvcError);
    expect(() => changeJson(order, [change])).toThrow(message);
  });
});

describe('parseAssignment', () => {
  it.each([
    ['total=12.50', 'total', '12.50'],
    ['gift=true', 'gift', 'true'],
    ['code="12"', 'code', '"12"'],
    ['name=Zoë "Z" Nuñez', 'name', '"Zoë \\"Z\\" Nuñez"'],
    ['a.b[0]=x=y', 'a.b[0]', '"x=y"'],
    ['note=', 'note', '""'],
    ['to={"city":"Berlin"}', 'to', '{"city":"Berlin"}'],
  ])('reads %s', (text, path, value) => {
    expect(parseAssignment(text)).toEqual({ path, value });
  });

  it.each(['total', '=1', ''])('refuses %j', (text) => {
    expect(() => parseAssignment(text)).toThrow(/Write path=value/);
  });
});
