// SPDX-License-Identifier: GPL-2.0-or-later
//
// parcels: types of Rust that C does not have: text, slices, vectors, tuples, and enums
// with data, distinguished by a tag or by a niche; methods, traits, generics.
use std::fmt::Display;

enum Shape {
    Circle { r: f64 },
    Rect(i32, i32),
    Named(String),
    Unit,
}

#[derive(Clone, Copy)]
enum Colour {
    Red = 3,
    Green = 300,
}

struct Parcel {
    name: String,
    weights: Vec<u32>,
    size: (i32, i32),
}

impl Parcel {
    #[inline(never)]
    fn weigh(&self, extra: u32) -> u32 {
        seen(self);
        self.weights.iter().sum::<u32>() + extra
    }
}

// Keeps the compiler from removing x and the data that x points to.
fn seen<T>(x: T) -> T {
    unsafe { std::arch::asm!("/* {0} */", in(reg) &x) };
    x
}

#[inline(never)]
fn texts(s: &str, owned: &String, bytes: &[u8]) {
    seen((s, owned, bytes));
}

#[inline(never)]
fn lists(v: &Vec<i32>, slice: &[u16], names: &Vec<String>) {
    seen((v, slice, names));
}

#[inline(never)]
fn enums(shape: &Shape, some: &Option<u32>, niche: Option<&i32>, result: &Result<i32, String>, colour: Colour) {
    seen((shape, some, niche, result, colour as u32));
}

#[inline(never)]
fn chars(c: char, wide: &[char], colours: &[Colour]) {
    seen((c, wide, colours));
}

#[inline(never)]
fn tuple(t: &(i32, &str), p: &Parcel) {
    seen((t, p));
}

#[inline(never)]
fn owner(v: Vec<i32>, p: &Parcel, n: u8) -> usize {
    seen(v.len() + p.name.len() + n as usize)
}

#[inline(never)]
fn pair(t: (i32, bool), n: u8) -> usize {
    seen(t.0 as usize + n as usize)
}

#[inline(never)]
fn generic<T: Display>(x: T, n: u32) -> usize {
    seen(format!("{}{}", x, n)).len()
}

fn main() {
    let parcel = Parcel { name: "books".to_string(), weights: vec![7, 8, 9], size: (-3, 4) };
    texts("text", &"owned".to_string(), b"bytes");
    texts("", &String::new(), &[]);
    lists(&vec![1, -2, 3], &[7, 8], &vec!["one".to_string(), "two".to_string()]);
    lists(&Vec::new(), &[], &Vec::new());
    for shape in [Shape::Circle { r: 1.5 }, Shape::Rect(3, -4), Shape::Named("box".to_string())] {
        enums(&shape, &seen(Some(4)), seen(Some(&9)), &Ok(5), Colour::Green);
    }
    enums(&Shape::Unit, &seen(None), seen(None), &Err("no".to_string()), Colour::Red);
    chars(seen('x'), seen(&['\n', 'ä', '€', '𝄞']), seen(&[Colour::Red, Colour::Green]));
    tuple(&seen((1, "in")), &parcel);
    seen(owner(vec![4], &parcel, 7) + pair(seen((1, true)), 8));
    seen((parcel.weigh(seen(10)), generic("x", seen(5)), generic(2.5, seen(6))));
}
